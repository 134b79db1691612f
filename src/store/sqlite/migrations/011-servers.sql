-- The MCP servers that a harness started for a session. A server that ends in good order removes itself, so one that is
-- gone and still listed here has died.

ALTER TABLE sessions ADD COLUMN servers TEXT NOT NULL DEFAULT '[]';
