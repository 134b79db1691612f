-- Mailboxes and deliveries. The messages themselves are events; a delivery points at one.
--
-- delivery_seq grows with every delivery in the store, so that the mailboxes of one session under two names can be
-- put together and keep their order. Deliveries are never deleted: they say what became of a message.

CREATE TABLE mailboxes (
  agent_id        TEXT NOT NULL PRIMARY KEY,
  pending         INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
  in_flight       INTEGER NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
  acked           INTEGER NOT NULL DEFAULT 0 CHECK (acked >= 0),
  dead_letter     INTEGER NOT NULL DEFAULT 0 CHECK (dead_letter >= 0),
  expired         INTEGER NOT NULL DEFAULT 0 CHECK (expired >= 0),
  announced_seq   INTEGER NOT NULL DEFAULT 0,
  receivers       TEXT NOT NULL DEFAULT '[]',
  allowance_left  REAL,
  allowance_epoch TEXT,
  allowance_ms    REAL,
  CHECK ((allowance_left IS NULL) = (allowance_epoch IS NULL) AND (allowance_left IS NULL) = (allowance_ms IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  delivery_seq        INTEGER NOT NULL PRIMARY KEY,
  recipient           TEXT NOT NULL,
  message_id          TEXT NOT NULL,
  msg_id              TEXT NOT NULL,
  room_id             TEXT NOT NULL,
  event_seq           INTEGER NOT NULL,
  from_agent_id       TEXT NOT NULL,
  from_handle         TEXT,
  from_harness        TEXT NOT NULL,
  body_bytes          INTEGER NOT NULL,
  interrupt           INTEGER NOT NULL CHECK (interrupt IN (0, 1)),
  reply_to            TEXT,
  max_retries         INTEGER NOT NULL,
  base_backoff_ms     INTEGER NOT NULL,
  inflight_timeout_ms INTEGER NOT NULL,
  expires_epoch       TEXT NOT NULL,
  expires_ms          REAL NOT NULL,
  expires_at          TEXT NOT NULL,
  state               TEXT NOT NULL CHECK (state IN ('pending', 'in_flight', 'acked', 'dead_letter', 'expired')),
  due_epoch           TEXT,
  due_ms              REAL,
  attempts            TEXT NOT NULL,
  attempts_before     INTEGER NOT NULL,
  requeued_from       INTEGER,
  reason              TEXT,
  ended_at            TEXT,
  purged              INTEGER NOT NULL CHECK (purged IN (0, 1)),
  CHECK ((due_epoch IS NULL) = (due_ms IS NULL)),
  CHECK (state <> 'in_flight' OR due_epoch IS NOT NULL),
  CHECK ((state IN ('pending', 'in_flight')) = (ended_at IS NULL))
) STRICT;

-- A sender's mail in one mailbox is a lane; only what is live is ever looked for there.
CREATE INDEX deliveries_by_lane ON deliveries (recipient, from_agent_id, delivery_seq)
  WHERE state IN ('pending', 'in_flight');
CREATE INDEX deliveries_that_interrupt ON deliveries (recipient, interrupt, from_agent_id)
  WHERE interrupt = 1 AND state IN ('pending', 'in_flight');
CREATE INDEX deliveries_set_aside ON deliveries (recipient, state, purged, delivery_seq)
  WHERE state IN ('in_flight', 'dead_letter');
CREATE INDEX deliveries_by_recipient ON deliveries (recipient, delivery_seq);
CREATE INDEX deliveries_by_message ON deliveries (message_id);
CREATE INDEX deliveries_by_msg_id ON deliveries (recipient, msg_id);

-- What was sent under an id of the sender's own. Kept without end.
CREATE TABLE sent (
  sender TEXT NOT NULL,
  msg_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  answer TEXT NOT NULL,
  PRIMARY KEY (sender, msg_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE asks (
  request_id  TEXT NOT NULL PRIMARY KEY,
  asker       TEXT NOT NULL,
  peer        TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('waiting', 'answered', 'timed_out', 'cancelled')),
  until_epoch TEXT NOT NULL,
  until_ms    REAL NOT NULL,
  caller      TEXT,
  reply_id    TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX asks_that_wait ON asks (asker) WHERE state = 'waiting';
