/**
 * What keys used, and what moved balances, in quarters of an hour of UTC.
 *
 * Every row holds totals from the beginning of time to the end of its quarter, and there is a row
 * only for a quarter in which something happened. The usage of any period is then the difference of
 * two rows, however many requests lie between them:
 *
 *     quarter        00:00    00:15    00:30    09:00
 *     total              3        7        8      120
 *
 *     from 00:15 to 09:00: the last row before 09:00 less the last row before 00:15 = 8 − 3
 *
 * A row is placed by the time of its movement, but never before that of the account's movement
 * before it, as in the statement: periods of both therefore have the same sums.
 *
 * Amounts are pico-dollars as decimal text: they outgrow SQLite's 64-bit integer at $9.2 million.
 */
export const usageSchema = `
  -- Who used what in which format.
  CREATE TABLE series (
    number      INTEGER PRIMARY KEY,
    account_id  TEXT NOT NULL,
    key_id      TEXT NOT NULL,
    model       TEXT NOT NULL,
    format      TEXT NOT NULL
  ) STRICT;

  CREATE UNIQUE INDEX series_by_account ON series (account_id, key_id, model, format);

  -- at, revision and balance are those of the last debit in the row.
  CREATE TABLE usage (
    series               INTEGER NOT NULL,
    quarter              INTEGER NOT NULL,
    at                   INTEGER NOT NULL,
    revision             INTEGER NOT NULL,
    balance              TEXT NOT NULL,
    last_used_at         INTEGER NOT NULL,
    requests             INTEGER NOT NULL,
    input_tokens         INTEGER NOT NULL,
    cached_input_tokens  INTEGER NOT NULL,
    output_tokens        INTEGER NOT NULL,
    input_amount         TEXT NOT NULL,
    cached_input_amount  TEXT NOT NULL,
    output_amount        TEXT NOT NULL,
    PRIMARY KEY (series, quarter)
  ) STRICT, WITHOUT ROWID;

  -- The same of all series of an account together.
  CREATE TABLE account_usage (
    account_id           TEXT NOT NULL,
    quarter              INTEGER NOT NULL,
    requests             INTEGER NOT NULL,
    input_tokens         INTEGER NOT NULL,
    cached_input_tokens  INTEGER NOT NULL,
    output_tokens        INTEGER NOT NULL,
    input_amount         TEXT NOT NULL,
    cached_input_amount  TEXT NOT NULL,
    output_amount        TEXT NOT NULL,
    PRIMARY KEY (account_id, quarter)
  ) STRICT, WITHOUT ROWID;

  -- All that moves a balance and is no usage, as totals of the account.
  CREATE TABLE movements (
    account_id   TEXT NOT NULL,
    quarter      INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    revision     INTEGER NOT NULL,
    balance      TEXT NOT NULL,
    payments     TEXT NOT NULL,
    promotional  TEXT NOT NULL,
    expired      TEXT NOT NULL,
    refunded     TEXT NOT NULL,
    corrected    TEXT NOT NULL,
    PRIMARY KEY (account_id, quarter)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE keys (
    key_id      TEXT PRIMARY KEY,
    account_id  TEXT NOT NULL,
    name        TEXT NOT NULL,
    last_four   TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    revoked_at  INTEGER,
    created_by  TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX keys_by_account ON keys (account_id, key_id);

  -- Whose debit it will be, and what it will have come to then.
  CREATE TABLE running (
    request_id  TEXT PRIMARY KEY,
    series      INTEGER NOT NULL,
    status      INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX running_by_series ON running (series, request_id);

  -- Requests of a series by what became of them: 0 finished, 1 stopped, 2 failed, 3 abandoned.
  -- Ids begin with their time, so each of these lists is in the order of time.
  CREATE TABLE ended (
    series      INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    request_id  TEXT NOT NULL,
    PRIMARY KEY (series, status, request_id)
  ) STRICT, WITHOUT ROWID;

  -- What the requests of each of these lists came to, as totals up to the end of a quarter: here of
  -- the quarter in which they came in, as they are listed, and not of their debit.
  -- list is 4 × series + status.
  CREATE TABLE ended_totals (
    list                 INTEGER NOT NULL,
    quarter              INTEGER NOT NULL,
    requests             INTEGER NOT NULL,
    input_tokens         INTEGER NOT NULL,
    cached_input_tokens  INTEGER NOT NULL,
    output_tokens        INTEGER NOT NULL,
    input_amount         TEXT NOT NULL,
    cached_input_amount  TEXT NOT NULL,
    output_amount        TEXT NOT NULL,
    PRIMARY KEY (list, quarter)
  ) STRICT, WITHOUT ROWID;
`
