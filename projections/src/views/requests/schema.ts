/**
 * What is looked for has a column; the rest of a request is only ever shown as a whole and is one
 * JSON document: half the time of a rebuild, and half the bytes, of a column for each field.
 */
export const requestsSchema = `
  CREATE TABLE requests (
    request_id   TEXT PRIMARY KEY,
    account_id   TEXT NOT NULL,
    status       TEXT NOT NULL,
    accepted_at  INTEGER NOT NULL,
    document     TEXT NOT NULL
  ) STRICT;

  -- Only running requests are in this index: the sweeper's question costs ended ones nothing.
  CREATE INDEX running_requests ON requests (accepted_at, request_id) WHERE status = 'running';
`
