-- Mail that a hook has shown and that is not settled yet: which, and how much. The turn that a session is in, as its
-- harness calls it.

ALTER TABLE deliveries ADD COLUMN shown INTEGER NOT NULL DEFAULT 0 CHECK (shown IN (0, 1));
ALTER TABLE mailboxes ADD COLUMN shown INTEGER NOT NULL DEFAULT 0 CHECK (shown >= 0);
ALTER TABLE sessions ADD COLUMN turn TEXT;
