/**
 * Amounts are pico-dollars as decimal text: they outgrow SQLite's 64-bit integer at $9.2 million.
 *
 * Entries lie in the order of the log, so that a new one is always written at the end of the table.
 * An index of all of them by account would cost more than the entries themselves, because each new
 * one lands on another page of it. So every entry names the one above it in its account instead,
 * and only each sixteenth is in the index: to read entries, find one below them and climb.
 *
 *     heads ──▶ entry 35 ─▶ 34 ─▶ 33 ─▶ 32 ─▶ 31 ─▶ … ─▶ 16 ─▶ …
 *                                       ▲                ▲
 *                             index ────┴────────────────┘
 */
export const statementSchema = `
  -- An amount above zero is a credit, one below a debit. The type of the event is not stored: the
  -- type of the entry says it. Neither is the stream of the event, which is the account's.
  CREATE TABLE entries (
    number          INTEGER PRIMARY KEY,
    above           INTEGER NOT NULL,
    account_id      TEXT NOT NULL,
    entry           INTEGER NOT NULL,
    at              INTEGER NOT NULL,
    type            TEXT NOT NULL,
    reference       TEXT NOT NULL,
    amount          TEXT NOT NULL,
    balance         TEXT NOT NULL,
    event_revision  INTEGER NOT NULL,
    event_hash      TEXT NOT NULL,
    -- Parts of the amount, above zero: promotional credit, and what no credit covered.
    promotional     TEXT,
    unpaid          TEXT,
    -- Of usage, whose description is made of them.
    terms                INTEGER,
    input_tokens         INTEGER,
    cached_input_tokens  INTEGER,
    output_tokens        INTEGER,
    -- Of everything else.
    description     TEXT,
    payment         TEXT,
    actor           TEXT,
    reason          TEXT
  ) STRICT;

  -- What many requests have in common.
  CREATE TABLE terms (
    number         INTEGER PRIMARY KEY,
    key_id         TEXT NOT NULL,
    model          TEXT NOT NULL,
    format         TEXT NOT NULL,
    price_version  TEXT NOT NULL
  ) STRICT;

  CREATE UNIQUE INDEX terms_by_words ON terms (key_id, model, format, price_version);

  -- Grants of promotional credit.
  CREATE TABLE gifts (
    grant_id  TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;

  CREATE UNIQUE INDEX sixteenth_entries ON entries (account_id, entry) WHERE entry % 16 = 0;

  -- The last entry of every account.
  CREATE TABLE heads (
    account_id  TEXT PRIMARY KEY,
    number      INTEGER NOT NULL,
    entry       INTEGER NOT NULL,
    at          INTEGER NOT NULL
  ) STRICT;

  -- What the description of a debit needs, kept until the debit comes.
  CREATE TABLE running (
    request_id  TEXT PRIMARY KEY,
    terms       INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE key_names (
    key_id  TEXT PRIMARY KEY,
    name    TEXT NOT NULL
  ) STRICT;
`
