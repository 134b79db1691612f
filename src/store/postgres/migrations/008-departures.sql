-- How somebody last went out of a room, so that it need not be looked for in the whole log.

CREATE INDEX events_of_departures
  ON events (room_id, (CASE event_type WHEN 'kick' THEN to_agent_id ELSE from_agent_id END), event_seq)
  WHERE event_type IN ('member_left', 'kick');
