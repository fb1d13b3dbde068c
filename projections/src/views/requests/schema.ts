/**
 * Amounts are pico-dollars as decimal text: they outgrow SQLite's 64-bit integer at $9.2 million.
 * What is only ever shown as a whole (price, lines, slices, latencies, events) is JSON.
 */
export const requestsSchema = `
  CREATE TABLE requests (
    request_id           TEXT PRIMARY KEY,
    account_id           TEXT NOT NULL,
    key_id               TEXT NOT NULL,
    gateway_id           TEXT NOT NULL,
    status               TEXT NOT NULL,
    format               TEXT NOT NULL,
    model                TEXT NOT NULL,
    price                TEXT NOT NULL,
    prompt_tokens        INTEGER NOT NULL,
    max_output_tokens    INTEGER NOT NULL,
    hold                 TEXT NOT NULL,
    input_tokens         INTEGER,
    cached_input_tokens  INTEGER,
    output_tokens        INTEGER,
    reasoning_tokens     INTEGER NOT NULL,
    lines                TEXT NOT NULL,
    amount               TEXT NOT NULL,
    slices               TEXT NOT NULL,
    balance_after        TEXT,
    finish_reason        TEXT,
    reason               TEXT,
    deadline             INTEGER NOT NULL,
    accepted_at          INTEGER NOT NULL,
    ended_at             INTEGER,
    latencies            TEXT,
    events               TEXT NOT NULL
  ) STRICT;

  -- Only running requests are in this index: the sweeper's question costs ended ones nothing.
  CREATE INDEX running_requests ON requests (accepted_at, request_id) WHERE status = 'running';
`
