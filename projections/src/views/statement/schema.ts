/**
 * Amounts are pico-dollars as decimal text: they outgrow SQLite's 64-bit integer at $9.2 million.
 */
export const statementSchema = `
  -- In the order of the log, so that a rebuild only ever writes at the end of the table. The stream
  -- of the event is the account's, and so is not stored.
  CREATE TABLE entries (
    number          INTEGER PRIMARY KEY,
    account_id      TEXT NOT NULL,
    entry           INTEGER NOT NULL,
    at              INTEGER NOT NULL,
    type            TEXT NOT NULL,
    reference       TEXT NOT NULL,
    description     TEXT NOT NULL,
    debit           TEXT NOT NULL,
    credit          TEXT NOT NULL,
    balance         TEXT NOT NULL,
    event_type      TEXT NOT NULL,
    event_revision  INTEGER NOT NULL,
    event_id        TEXT NOT NULL,
    event_hash      TEXT NOT NULL
  ) STRICT;

  CREATE UNIQUE INDEX entries_of_account ON entries (account_id, entry);

  -- What the description of a debit needs, kept until the debit comes.
  CREATE TABLE running (
    request_id  TEXT PRIMARY KEY,
    key_id      TEXT NOT NULL,
    model       TEXT NOT NULL
  ) STRICT;

  CREATE TABLE key_names (
    key_id  TEXT PRIMARY KEY,
    name    TEXT NOT NULL
  ) STRICT;
`
