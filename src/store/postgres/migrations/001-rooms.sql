-- Rooms, their members and waits, the handles of a project, former names, the log and the notes: the same tables as on SQLite.
--
-- JSON documents are text with snake_case keys, not jsonb, which cannot hold every text that JSON can. Instants are
-- an epoch and milliseconds on that epoch's clock; columns ending in _at are wall time for people. The handoff of a
-- room lives in the event that gave it. The "C" collation orders text by its bytes, as SQLite does.

CREATE TABLE rooms (
  room_id        text COLLATE "C" NOT NULL PRIMARY KEY,
  host           text COLLATE "C" NOT NULL,
  path           text COLLATE "C" NOT NULL,
  project        text COLLATE "C" NOT NULL,
  policy         text NOT NULL,
  created_at     text COLLATE "C" NOT NULL,
  updated_at     text COLLATE "C" NOT NULL,
  status         text NOT NULL CHECK (status IN ('idle', 'owned', 'reserved', 'closed')),
  turn_id        bigint NOT NULL CHECK (turn_id >= 0),
  owner          text COLLATE "C",
  reserved_for   text COLLATE "C",
  reserved_via   text CHECK (reserved_via IN ('pass', 'sequence')),
  handoff_seq    bigint,
  handoff_from   text COLLATE "C",
  turn_head      text,
  last_seq       bigint NOT NULL CHECK (last_seq >= 0),
  lease_id       text,
  lease_epoch    text,
  lease_ms       double precision,
  claim_epoch    text,
  claim_ms       double precision,
  cooldown_agent text COLLATE "C",
  cooldown_epoch text,
  cooldown_ms    double precision,
  suspended_ms   double precision NOT NULL,
  UNIQUE (host, path),
  CHECK ((status = 'owned') = (owner IS NOT NULL)),
  CHECK ((status = 'owned') = (lease_id IS NOT NULL)),
  CHECK ((lease_id IS NULL) = (lease_epoch IS NULL) AND (lease_id IS NULL) = (lease_ms IS NULL)),
  CHECK ((status = 'reserved') = (reserved_for IS NOT NULL)),
  CHECK ((status = 'reserved') = (claim_epoch IS NOT NULL)),
  CHECK ((reserved_for IS NULL) = (reserved_via IS NULL) AND (claim_epoch IS NULL) = (claim_ms IS NULL)),
  CHECK ((handoff_seq IS NULL) = (handoff_from IS NULL)),
  CHECK ((cooldown_agent IS NULL) = (cooldown_epoch IS NULL) AND (cooldown_agent IS NULL) = (cooldown_ms IS NULL))
) WITH (fillfactor = 70);

CREATE INDEX rooms_by_project ON rooms (project);

CREATE TABLE members (
  room_id         text COLLATE "C" NOT NULL REFERENCES rooms (room_id),
  agent_id        text COLLATE "C" NOT NULL,
  harness         text NOT NULL,
  joined_seq      bigint NOT NULL,
  held_seq        bigint,
  card            text,
  last_seen_epoch text,
  last_seen_ms    double precision,
  last_seen_at    text,
  process         text,
  session_id      text,
  tmux_pane       text,
  PRIMARY KEY (room_id, agent_id),
  CHECK ((last_seen_epoch IS NULL) = (last_seen_ms IS NULL) AND (last_seen_epoch IS NULL) = (last_seen_at IS NULL))
) WITH (fillfactor = 70);

CREATE INDEX members_by_agent ON members (agent_id);

CREATE TABLE waits (
  room_id        text COLLATE "C" NOT NULL,
  agent_id       text COLLATE "C" NOT NULL,
  claims         smallint NOT NULL CHECK (claims IN (0, 1)),
  caller         text,
  since_at       text COLLATE "C" NOT NULL,
  deadline_epoch text NOT NULL,
  deadline_ms    double precision NOT NULL,
  PRIMARY KEY (room_id, agent_id),
  FOREIGN KEY (room_id, agent_id) REFERENCES members (room_id, agent_id)
);

CREATE TABLE handles (
  project  text COLLATE "C" NOT NULL,
  handle   text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, handle),
  UNIQUE (project, agent_id)
);

-- The names that sessions had before they were merged into another one.
CREATE TABLE aliases (
  old_agent_id text COLLATE "C" NOT NULL PRIMARY KEY,
  agent_id     text COLLATE "C" NOT NULL,
  CHECK (old_agent_id <> agent_id)
);

CREATE INDEX aliases_by_agent ON aliases (agent_id);

CREATE TABLE events (
  room_id       text COLLATE "C" NOT NULL REFERENCES rooms (room_id),
  event_seq     bigint NOT NULL CHECK (event_seq > 0),
  event_id      text COLLATE "C" NOT NULL UNIQUE,
  turn_id       bigint NOT NULL,
  event_type    text NOT NULL,
  from_agent_id text COLLATE "C",
  to_agent_id   text COLLATE "C",
  handoff       text,
  reason        text,
  created_at    text NOT NULL,
  payload       text NOT NULL,
  PRIMARY KEY (room_id, event_seq)
);

CREATE TABLE notes (
  note_id              text COLLATE "C" NOT NULL PRIMARY KEY,
  room_id              text COLLATE "C" NOT NULL REFERENCES rooms (room_id),
  turn_id              bigint,
  author_agent_id      text COLLATE "C" NOT NULL,
  body                 text NOT NULL,
  created_at           text NOT NULL,
  event_seq            bigint NOT NULL,
  resolved_at          text,
  resolved_by_agent_id text COLLATE "C",
  UNIQUE (room_id, event_seq)
);

-- The log is append-only. Pruning is the one exception: inside one transaction it names the room here, deletes
-- old events (never the one rooms.handoff_seq points at), and takes the name out again.
CREATE TABLE pruning (
  room_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES rooms (room_id)
);

CREATE FUNCTION refuse_to_alter_events() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  RAISE EXCEPTION 'events are append-only';
END
$$;

CREATE FUNCTION refuse_to_delete_events() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pruning WHERE pruning.room_id = OLD.room_id) THEN
    RAISE EXCEPTION 'events are append-only';
  END IF;
  RETURN OLD;
END
$$;

CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
  FOR EACH ROW EXECUTE FUNCTION refuse_to_alter_events();

CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
  FOR EACH ROW EXECUTE FUNCTION refuse_to_delete_events();

CREATE TRIGGER events_are_never_emptied BEFORE TRUNCATE ON events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_alter_events();
