/** Tiles of a Merkle tree, as rows: how one is read, and what the hashes in it stand for. */
import type { DatabaseSync } from 'node:sqlite'
import { HASH_BYTES, type NodeOf, rootOfHashes } from '@svc/contracts/evidence/merkle-tree'
import type { Position } from '@svc/contracts/ports/event-store'

const TILE_LEVELS = 8
export const TILE_HASHES = 2 ** TILE_LEVELS
export const POSITION_BYTES = 8
const POSITION_DIGITS = 20

/** @returns the bytes of a tile's hashes; undefined for a tile that is not there */
export function tileReader(
  database: DatabaseSync,
): (level: number, tile: number) => Uint8Array | undefined {
  const select = database.prepare('SELECT hashes FROM tiles WHERE level = ? AND tile = ?')
  return (level, tile) => (select.get(level, tile) as { hashes: Uint8Array } | undefined)?.hashes
}

/** How many leaves the tiles hold. */
export function leafCount(database: DatabaseSync): number {
  const last = database
    .prepare('SELECT tile, length(hashes) AS bytes FROM tiles WHERE level = 0 ORDER BY tile DESC')
    .get() as { tile: number; bytes: number } | undefined
  return last === undefined ? 0 : last.tile * TILE_HASHES + last.bytes / HASH_BYTES
}

/** Any complete subtree, out of tiles. A tile is read once for each reader that is made. */
export function nodesOf(database: DatabaseSync): NodeOf {
  const read = tileReader(database)
  const known = new Map<string, Uint8Array>()
  return (level, index) => {
    const tileLevel = Math.floor(level / TILE_LEVELS)
    const width = 2 ** (level % TILE_LEVELS)
    const first = index * width
    const tile = Math.floor(first / TILE_HASHES)
    const name = `${tileLevel}/${tile}`
    const hashes = known.get(name) ?? read(tileLevel, tile)
    const from = (first % TILE_HASHES) * HASH_BYTES
    const bytes = hashes?.subarray(from, from + width * HASH_BYTES)
    if (hashes === undefined || bytes?.length !== width * HASH_BYTES) {
      throw new Error(`the evidence view lacks the tile ${name}`)
    }
    known.set(name, hashes)
    return rootOfHashes(bytes)
  }
}

export function positionText(position: Position): string {
  return `${position}`.padStart(POSITION_DIGITS, '0')
}
