/**
 * An index into the log and no copy of it: where in the stream of its account the events of a
 * request stand. What it was, cost and proves is made of those events when somebody asks.
 */
export const requestsSchema = `
  -- Revisions of events. Ids begin with their time, so a new row lands at the end of the table.
  CREATE TABLE requests (
    request_id  TEXT PRIMARY KEY,
    account_id  TEXT NOT NULL,
    accepted    INTEGER NOT NULL,
    metered     INTEGER,
    debited     INTEGER,
    ended       INTEGER
  ) STRICT, WITHOUT ROWID;

  -- Where what was charged was given back, all of it or a part: seldom.
  CREATE TABLE refunds (
    request_id  TEXT NOT NULL,
    revision    INTEGER NOT NULL,
    refund_id   TEXT NOT NULL,
    PRIMARY KEY (request_id, revision)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX refunds_by_id ON refunds (refund_id);

  -- The last request that came with each Idempotency-Key: an account remembers only the newest.
  CREATE TABLE idempotency_keys (
    account_id  TEXT NOT NULL,
    key_hash    TEXT NOT NULL,
    request_id  TEXT NOT NULL,
    PRIMARY KEY (account_id, key_hash)
  ) STRICT, WITHOUT ROWID;

  -- What the sweeper asks about requests without an end, and only those.
  CREATE TABLE running (
    request_id  TEXT PRIMARY KEY,
    gateway_id  TEXT NOT NULL,
    deadline    INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`
