-- What is known about a session beyond its memberships, by project. JSON documents are text with snake_case keys.

CREATE TABLE sessions (
  project         TEXT NOT NULL,
  agent_id        TEXT NOT NULL,
  harness         TEXT NOT NULL,
  harness_version TEXT,
  session_id      TEXT,
  id_source       TEXT,
  cwd             TEXT,
  transcript_path TEXT,
  capabilities    TEXT NOT NULL,
  activity        TEXT NOT NULL CHECK (activity IN ('busy', 'idle', 'unknown')),
  activity_since  TEXT,
  PRIMARY KEY (project, agent_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_agent ON sessions (agent_id);

-- For a peer that cannot say what it answers: its first message after this delivery is the answer.
ALTER TABLE asks ADD COLUMN after_seq INTEGER;
