-- Rooms, their members and waits, the handles of a project, former names, the log and the notes.
--
-- JSON documents are text with snake_case keys. Instants are an epoch and milliseconds on that epoch's clock;
-- columns ending in _at are wall time for people. The handoff of a room lives in the event that gave it.

CREATE TABLE rooms (
  room_id        TEXT NOT NULL PRIMARY KEY,
  host           TEXT NOT NULL,
  path           TEXT NOT NULL,
  project        TEXT NOT NULL,
  policy         TEXT NOT NULL,
  created_at     TEXT NOT NULL,
  updated_at     TEXT NOT NULL,
  status         TEXT NOT NULL CHECK (status IN ('idle', 'owned', 'reserved', 'closed')),
  turn_id        INTEGER NOT NULL CHECK (turn_id >= 0),
  owner          TEXT,
  reserved_for   TEXT,
  reserved_via   TEXT CHECK (reserved_via IN ('pass', 'sequence')),
  handoff_seq    INTEGER,
  handoff_from   TEXT,
  turn_head      TEXT,
  last_seq       INTEGER NOT NULL CHECK (last_seq >= 0),
  lease_id       TEXT,
  lease_epoch    TEXT,
  lease_ms       REAL,
  claim_epoch    TEXT,
  claim_ms       REAL,
  cooldown_agent TEXT,
  cooldown_epoch TEXT,
  cooldown_ms    REAL,
  suspended_ms   REAL NOT NULL,
  UNIQUE (host, path),
  CHECK ((status = 'owned') = (owner IS NOT NULL)),
  CHECK ((status = 'owned') = (lease_id IS NOT NULL)),
  CHECK ((lease_id IS NULL) = (lease_epoch IS NULL) AND (lease_id IS NULL) = (lease_ms IS NULL)),
  CHECK ((status = 'reserved') = (reserved_for IS NOT NULL)),
  CHECK ((status = 'reserved') = (claim_epoch IS NOT NULL)),
  CHECK ((reserved_for IS NULL) = (reserved_via IS NULL) AND (claim_epoch IS NULL) = (claim_ms IS NULL)),
  CHECK ((handoff_seq IS NULL) = (handoff_from IS NULL)),
  CHECK ((cooldown_agent IS NULL) = (cooldown_epoch IS NULL) AND (cooldown_agent IS NULL) = (cooldown_ms IS NULL))
) STRICT;

CREATE INDEX rooms_by_project ON rooms (project);

CREATE TABLE members (
  room_id         TEXT NOT NULL REFERENCES rooms (room_id),
  agent_id        TEXT NOT NULL,
  harness         TEXT NOT NULL,
  joined_seq      INTEGER NOT NULL,
  held_seq        INTEGER,
  card            TEXT,
  last_seen_epoch TEXT,
  last_seen_ms    REAL,
  last_seen_at    TEXT,
  process         TEXT,
  session_id      TEXT,
  tmux_pane       TEXT,
  PRIMARY KEY (room_id, agent_id),
  CHECK ((last_seen_epoch IS NULL) = (last_seen_ms IS NULL) AND (last_seen_epoch IS NULL) = (last_seen_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX members_by_agent ON members (agent_id);

CREATE TABLE waits (
  room_id        TEXT NOT NULL,
  agent_id       TEXT NOT NULL,
  claims         INTEGER NOT NULL CHECK (claims IN (0, 1)),
  caller         TEXT,
  since_at       TEXT NOT NULL,
  deadline_epoch TEXT NOT NULL,
  deadline_ms    REAL NOT NULL,
  PRIMARY KEY (room_id, agent_id),
  FOREIGN KEY (room_id, agent_id) REFERENCES members (room_id, agent_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE handles (
  project  TEXT NOT NULL,
  handle   TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  PRIMARY KEY (project, handle),
  UNIQUE (project, agent_id)
) STRICT, WITHOUT ROWID;

-- The names that sessions had before they were merged into another one.
CREATE TABLE aliases (
  old_agent_id TEXT NOT NULL PRIMARY KEY,
  agent_id     TEXT NOT NULL,
  CHECK (old_agent_id <> agent_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX aliases_by_agent ON aliases (agent_id);

CREATE TABLE events (
  room_id       TEXT NOT NULL REFERENCES rooms (room_id),
  event_seq     INTEGER NOT NULL CHECK (event_seq > 0),
  event_id      TEXT NOT NULL UNIQUE,
  turn_id       INTEGER NOT NULL,
  event_type    TEXT NOT NULL,
  from_agent_id TEXT,
  to_agent_id   TEXT,
  handoff       TEXT,
  reason        TEXT,
  created_at    TEXT NOT NULL,
  payload       TEXT NOT NULL,
  PRIMARY KEY (room_id, event_seq)
) STRICT;

CREATE TABLE notes (
  note_id              TEXT NOT NULL PRIMARY KEY,
  room_id              TEXT NOT NULL REFERENCES rooms (room_id),
  turn_id              INTEGER,
  author_agent_id      TEXT NOT NULL,
  body                 TEXT NOT NULL,
  created_at           TEXT NOT NULL,
  event_seq            INTEGER NOT NULL,
  resolved_at          TEXT,
  resolved_by_agent_id TEXT,
  UNIQUE (room_id, event_seq)
) STRICT;

-- The log is append-only. Pruning is the one exception: inside one transaction it names the room here, deletes
-- old events (never the one rooms.handoff_seq points at), and takes the name out again.
CREATE TABLE pruning (
  room_id TEXT NOT NULL PRIMARY KEY REFERENCES rooms (room_id)
) STRICT;

CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN
  SELECT RAISE(ABORT, 'events are append-only');
END;

-- "INSERT OR REPLACE" would delete the old row without asking the trigger below.
CREATE TRIGGER events_are_never_replaced BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE room_id = NEW.room_id AND event_seq = NEW.event_seq)
  OR EXISTS (SELECT 1 FROM events WHERE event_id = NEW.event_id)
BEGIN
  SELECT RAISE(ABORT, 'events are append-only');
END;

CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM pruning WHERE pruning.room_id = OLD.room_id)
BEGIN
  SELECT RAISE(ABORT, 'events are append-only');
END;
