-- Who has ever come into a room, so that nobody who comes back need be looked for in the whole log.

CREATE INDEX events_of_comers ON events (room_id, from_agent_id)
  WHERE event_type IN ('member_joined', 'session_superseded');
