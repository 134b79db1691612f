-- Up to which delivery somebody wishes that a mailbox's owner be woken, and what came of the newest attempt.

ALTER TABLE mailboxes ADD COLUMN wake_wanted_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mailboxes ADD COLUMN wake_outcome TEXT
  CHECK (wake_outcome IN ('trying', 'fired', 'fired_unconfirmed', 'failed'));
