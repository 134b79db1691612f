-- When a machine was last heard of, and since when without a gap, in milliseconds of the server's clock, for each of its
-- boots. And the processes that stay there, such as waits, by their keys: only while there is one is a machine expected to
-- be heard of.

CREATE TABLE hosts (
  host text NOT NULL,
  boot_id text NOT NULL,
  name text NOT NULL,
  heard_ms double precision NOT NULL,
  unbroken_ms double precision NOT NULL,
  PRIMARY KEY (host, boot_id)
);

CREATE TABLE host_keepers (
  host text NOT NULL,
  boot_id text NOT NULL,
  process text NOT NULL,
  since_ms double precision NOT NULL,
  PRIMARY KEY (host, boot_id, process)
);
