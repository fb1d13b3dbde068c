/**
 * Amounts are pico-dollars as decimal text: they outgrow SQLite's 64-bit integer at $9.2 million.
 */
export const accountsSchema = `
  CREATE TABLE accounts (
    account_id        TEXT PRIMARY KEY,
    name              TEXT NOT NULL,
    external_id       TEXT,
    metadata          TEXT NOT NULL,
    status            TEXT NOT NULL,
    spend_policy      TEXT NOT NULL,
    settled           TEXT NOT NULL,
    held              TEXT NOT NULL,
    granted_total     TEXT NOT NULL,
    debited_total     TEXT NOT NULL,
    open_requests     INTEGER NOT NULL,
    opened_at         INTEGER NOT NULL,
    last_activity_at  INTEGER NOT NULL
  ) STRICT;

  -- An account that is named by an external id has an id that does not begin with its time.
  CREATE INDEX accounts_by_age ON accounts (opened_at, account_id);
  CREATE INDEX accounts_by_external_id ON accounts (external_id)
    WHERE external_id IS NOT NULL;

  -- What running requests hold: a row comes with the acceptance and goes with the end.
  CREATE TABLE holds (
    request_id  TEXT PRIMARY KEY,
    hold        TEXT NOT NULL
  ) STRICT;
`
