-- The commands that the holder of the current turn ran with tt check.

ALTER TABLE rooms ADD COLUMN checks text NOT NULL DEFAULT '[]';
