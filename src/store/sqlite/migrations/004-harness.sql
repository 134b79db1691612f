-- What hooks and servers inside a harness tell about their session, and how far its owner has been woken.

ALTER TABLE sessions ADD COLUMN process TEXT;
ALTER TABLE sessions ADD COLUMN hooked INTEGER NOT NULL DEFAULT 0 CHECK (hooked IN (0, 1));
ALTER TABLE sessions ADD COLUMN waker TEXT;

ALTER TABLE mailboxes ADD COLUMN woken_seq INTEGER NOT NULL DEFAULT 0;
