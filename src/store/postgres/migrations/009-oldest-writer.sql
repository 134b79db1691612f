-- The oldest build that may use the store, as the newest step of the schema that it must know. A damaging step raises
-- it; see sql/schema-steps.ts.

ALTER TABLE schema_version ADD COLUMN oldest_writer integer NOT NULL DEFAULT 9;
