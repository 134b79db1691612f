-- Mailboxes and deliveries: the same tables as on SQLite. The messages themselves are events; a delivery points at one.
--
-- delivery_seq grows with every delivery in the store, so that the mailboxes of one session under two names can be
-- put together and keep their order. Deliveries are never deleted: they say what became of a message.

CREATE TABLE mailboxes (
  agent_id        text COLLATE "C" NOT NULL PRIMARY KEY,
  pending         bigint NOT NULL DEFAULT 0 CHECK (pending >= 0),
  in_flight       bigint NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
  acked           bigint NOT NULL DEFAULT 0 CHECK (acked >= 0),
  dead_letter     bigint NOT NULL DEFAULT 0 CHECK (dead_letter >= 0),
  expired         bigint NOT NULL DEFAULT 0 CHECK (expired >= 0),
  announced_seq   bigint NOT NULL DEFAULT 0,
  receivers       text NOT NULL DEFAULT '[]',
  allowance_left  double precision,
  allowance_epoch text,
  allowance_ms    double precision,
  CHECK ((allowance_left IS NULL) = (allowance_epoch IS NULL) AND (allowance_left IS NULL) = (allowance_ms IS NULL))
) WITH (fillfactor = 70);

CREATE SEQUENCE delivery_seq;

CREATE TABLE deliveries (
  delivery_seq        bigint NOT NULL PRIMARY KEY,
  recipient           text COLLATE "C" NOT NULL,
  message_id          text COLLATE "C" NOT NULL,
  msg_id              text COLLATE "C" NOT NULL,
  room_id             text COLLATE "C" NOT NULL,
  event_seq           bigint NOT NULL,
  from_agent_id       text COLLATE "C" NOT NULL,
  from_handle         text COLLATE "C",
  from_harness        text NOT NULL,
  body_bytes          bigint NOT NULL,
  interrupt           smallint NOT NULL CHECK (interrupt IN (0, 1)),
  reply_to            text COLLATE "C",
  max_retries         bigint NOT NULL,
  base_backoff_ms     bigint NOT NULL,
  inflight_timeout_ms bigint NOT NULL,
  expires_epoch       text NOT NULL,
  expires_ms          double precision NOT NULL,
  expires_at          text NOT NULL,
  state               text NOT NULL CHECK (state IN ('pending', 'in_flight', 'acked', 'dead_letter', 'expired')),
  due_epoch           text,
  due_ms              double precision,
  attempts            text NOT NULL,
  attempts_before     bigint NOT NULL,
  requeued_from       bigint,
  reason              text,
  ended_at            text,
  purged              smallint NOT NULL CHECK (purged IN (0, 1)),
  CHECK ((due_epoch IS NULL) = (due_ms IS NULL)),
  CHECK (state <> 'in_flight' OR due_epoch IS NOT NULL),
  CHECK ((state IN ('pending', 'in_flight')) = (ended_at IS NULL))
);

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
  sender text COLLATE "C" NOT NULL,
  msg_id text COLLATE "C" NOT NULL,
  digest text NOT NULL,
  answer text NOT NULL,
  PRIMARY KEY (sender, msg_id)
);

CREATE TABLE asks (
  request_id  text COLLATE "C" NOT NULL PRIMARY KEY,
  asker       text COLLATE "C" NOT NULL,
  peer        text COLLATE "C" NOT NULL,
  state       text NOT NULL CHECK (state IN ('waiting', 'answered', 'timed_out', 'cancelled')),
  until_epoch text NOT NULL,
  until_ms    double precision NOT NULL,
  caller      text,
  reply_id    text COLLATE "C"
);

CREATE INDEX asks_that_wait ON asks (asker) WHERE state = 'waiting';
