/**
 * Where each event of the log stands, by the beginning of its id. Ids are hashes: 48 bits of one
 * name a single event nearly always, and what they name is compared with the whole id.
 */
export const eventPlacesSchema = `
  CREATE TABLE streams (
    number  INTEGER PRIMARY KEY,
    stream  TEXT NOT NULL
  ) STRICT;

  CREATE UNIQUE INDEX streams_by_name ON streams (stream);

  CREATE TABLE places (
    id_start  INTEGER NOT NULL,
    stream    INTEGER NOT NULL,
    revision  INTEGER NOT NULL,
    PRIMARY KEY (id_start, stream, revision)
  ) STRICT, WITHOUT ROWID;
`

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
/** The digits of 48 bits: a number that is exact. */
const HEX_DIGITS = 12

/** @returns undefined for a text that is the id of no event */
export function startOfId(id: string): number | undefined {
  if (!ID.test(id)) return undefined
  return Number.parseInt(id.replaceAll('-', '').slice(0, HEX_DIGITS), 16)
}
