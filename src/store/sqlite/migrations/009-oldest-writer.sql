-- The oldest build that may use the store, as the newest step of the schema that it must know. A damaging step raises
-- it; see sql/schema-steps.ts.

CREATE TABLE oldest_writer (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  version  INTEGER NOT NULL
) STRICT;

INSERT INTO oldest_writer VALUES (1, 9);
