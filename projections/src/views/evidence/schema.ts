/**
 * The Merkle tree over all events of the log but its checkpoints, in tiles of 256 hashes, as C2SP
 * cuts them (https://c2sp.org/tlog-tiles): tile `n` of level 0 has the hashes of leaves 256·n to
 * 256·n + 255, and a tile of the level above has the roots of 256 full tiles below. What lies
 * between is computed when somebody asks. Only the last tile of a level can be partial.
 *
 * A tile's row has one number for its key, which says level and tile: the tree of such rows is
 * three pages deep at ten million events. With both in the key of a table without row numbers,
 * whose inner pages hold whole rows, it was so deep that a proof read 220 pages. Now it reads 20.
 *
 * Positions of a log increase but may have gaps; a leaf's number has none. So beside every tile of
 * leaves stand the positions of its events.
 */
export const evidenceSchema = `
  CREATE TABLE tiles (
    -- The number of the tile within its level, less 2^40 for each level above the leaves.
    id INTEGER PRIMARY KEY,
    hashes BLOB NOT NULL
  ) STRICT;

  CREATE TABLE leaf_positions (
    tile INTEGER PRIMARY KEY,
    -- Decimal, with zeros before it: text in the order of numbers.
    first_position TEXT NOT NULL,
    positions BLOB NOT NULL
  ) STRICT;

  CREATE INDEX leaf_positions_by_position ON leaf_positions (first_position);
`
