-- The commands that the holder of the current turn ran with tt check.

ALTER TABLE rooms ADD COLUMN checks TEXT NOT NULL DEFAULT '[]';
