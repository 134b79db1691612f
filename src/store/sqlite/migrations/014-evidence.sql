-- The event that brought the evidence of the attached handoff; null if it is still pending, or nothing more was to come.

ALTER TABLE rooms ADD COLUMN evidence_seq INTEGER;
