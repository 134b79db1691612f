-- Up to which delivery a sender wants a mailbox's owner to be woken, what came of the newest attempt, and as
-- long as that is not known, whose attempt it is (JSON).

ALTER TABLE mailboxes ADD COLUMN wake_wanted_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mailboxes ADD COLUMN wake_outcome TEXT
  CHECK (wake_outcome IN ('trying', 'acting', 'fired', 'fired_unconfirmed', 'failed'));
ALTER TABLE mailboxes ADD COLUMN wake_claim TEXT;
