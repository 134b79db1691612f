-- Whether a waiting call ends when mail comes: only then is a sender told that its message is seen now.

ALTER TABLE waits ADD COLUMN sees_mail smallint NOT NULL DEFAULT 1 CHECK (sees_mail IN (0, 1));
