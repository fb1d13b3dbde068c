/**
 * Amounts are pico-dollars as decimal text: they outgrow SQLite's 64-bit integer at $9.2 million.
 */
export const accountsSchema = `
  CREATE TABLE accounts (
    account_id        TEXT PRIMARY KEY,
    name              TEXT NOT NULL,
    spend_policy      TEXT NOT NULL,
    settled           TEXT NOT NULL,
    held              TEXT NOT NULL,
    granted_total     TEXT NOT NULL,
    debited_total     TEXT NOT NULL,
    open_requests     INTEGER NOT NULL,
    opened_at         INTEGER NOT NULL,
    last_activity_at  INTEGER NOT NULL
  ) STRICT;

  -- What running requests hold: a row comes with the acceptance and goes with the end.
  CREATE TABLE holds (
    request_id  TEXT PRIMARY KEY,
    hold        TEXT NOT NULL
  ) STRICT;
`
