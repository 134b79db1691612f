-- What is known about a session beyond its memberships, by project: the same table as on SQLite.

CREATE TABLE sessions (
  project         text COLLATE "C" NOT NULL,
  agent_id        text COLLATE "C" NOT NULL,
  harness         text NOT NULL,
  harness_version text,
  session_id      text COLLATE "C",
  id_source       text,
  cwd             text,
  transcript_path text,
  capabilities    text NOT NULL,
  activity        text NOT NULL CHECK (activity IN ('busy', 'idle', 'unknown')),
  activity_since  text,
  PRIMARY KEY (project, agent_id)
);

CREATE INDEX sessions_by_agent ON sessions (agent_id);

-- For a peer that cannot say what it answers: its first message after this delivery is the answer.
ALTER TABLE asks ADD COLUMN after_seq bigint;
