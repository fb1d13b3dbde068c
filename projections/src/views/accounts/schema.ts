/** The last moment that there is, so that what never ends comes behind everything that does. */
export const NEVER_MS = 8_640_000_000_000_000

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

  -- What running requests hold: a row comes with the acceptance and goes with the end.
  CREATE TABLE holds (
    request_id  TEXT PRIMARY KEY,
    account_id  TEXT NOT NULL,
    hold        TEXT NOT NULL,
    since  INTEGER NOT NULL,
    deadline    INTEGER NOT NULL
  ) STRICT;

  CREATE INDEX holds_by_age ON holds (since, request_id);

  -- No index has a column that changes: of a busy grant only the row itself is written.
  CREATE TABLE grants (
    grant_id    TEXT PRIMARY KEY,
    account_id  TEXT NOT NULL,
    category    TEXT NOT NULL,
    priority    INTEGER NOT NULL,
    amount      TEXT NOT NULL,
    remaining   TEXT NOT NULL,
    -- When what is left of it expires; ${NEVER_MS} for never.
    ends_at     INTEGER NOT NULL,
    granted_at  INTEGER NOT NULL,
    voided_at   INTEGER
  ) STRICT;

  CREATE INDEX grants_by_end ON grants (ends_at, grant_id);
  CREATE INDEX grants_by_account ON grants (account_id, ends_at, grant_id);

  -- In the order in which they were published.
  CREATE TABLE prices (
    revision        INTEGER PRIMARY KEY,
    version         TEXT NOT NULL UNIQUE,
    model           TEXT NOT NULL,
    price_list      TEXT NOT NULL,
    input           TEXT NOT NULL,
    cached_input    TEXT NOT NULL,
    output          TEXT NOT NULL,
    is_demo         INTEGER NOT NULL,
    effective_from  INTEGER NOT NULL,
    published_at    INTEGER NOT NULL,
    withdrawn_at    INTEGER
  ) STRICT;

  -- Whose texts were erased, and how often.
  CREATE TABLE erasures (
    subject   TEXT PRIMARY KEY,
    erasures  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`
