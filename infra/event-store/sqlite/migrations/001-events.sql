-- Names of streams, so that an event and its index hold a small number instead.
CREATE TABLE stream (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- The position is the rowid: events lie in the file in the order of their commits.
CREATE TABLE event (
  position INTEGER PRIMARY KEY,
  stream_id INTEGER NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 0),
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  metadata TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  UNIQUE (stream_id, revision)
) STRICT
