-- How a member last left a room, so that no process has to search the whole log for it.

CREATE INDEX events_of_departures
  ON events (room_id, (CASE event_type WHEN 'kick' THEN to_agent_id ELSE from_agent_id END), event_seq)
  WHERE event_type IN ('member_left', 'kick');
