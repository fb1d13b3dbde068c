/** Tiles of a Merkle tree, as rows: how one is read, and what the hashes in it stand for. */
import type { DatabaseSync } from 'node:sqlite'
import { HASH_BYTES, type NodeOf, rootOfHashes } from '@svc/contracts/evidence/merkle-tree'
import type { Position } from '@svc/contracts/ports/event-store'
import { select } from '../../projection/select.ts'

const TILE_LEVELS = 8
export const TILE_HASHES = 2 ** TILE_LEVELS
export const POSITION_BYTES = 8
const POSITION_DIGITS = 20
/** How many computed nodes are kept: about a megabyte. */
const COMPUTED_NODES_MAX = 4_096
/** More tiles than a level can have: sizes of trees are below 2^48. */
const TILES_OF_LEVEL = 2 ** 40

/** Leaves have the highest numbers, so that their tiles are appended at the end of the table. */
export function tileId(level: number, tile: number): number {
  return tile - level * TILES_OF_LEVEL
}

/** @returns the bytes of a tile's hashes; undefined for a tile that is not there */
export function tileReader(
  database: DatabaseSync,
): (level: number, tile: number) => Uint8Array | undefined {
  const one = select<{ hashes: Uint8Array }>(database, 'SELECT hashes FROM tiles WHERE id = ?')
  return (level, tile) => one.get(tileId(level, tile))?.hashes
}

/** Counts the leaves that the tiles hold. */
export function leafCount(database: DatabaseSync): number {
  const newest = select<{ tile: number; bytes: number }>(
    database,
    `
    SELECT id AS tile, length(hashes) AS bytes FROM tiles
    WHERE id >= 0 ORDER BY id DESC LIMIT 1`,
  )
  const last = newest.get()
  return last === undefined ? 0 : last.tile * TILE_HASHES + last.bytes / HASH_BYTES
}

/**
 * Makes readers of any complete subtree, out of tiles. For each reader that is made a tile is read
 * once, since the last ones grow. Computed nodes never change: readers of one file share them.
 */
export function nodeReaders(database: DatabaseSync): () => NodeOf {
  const read = tileReader(database)
  const computed = new Map<string, Uint8Array>()
  return () => {
    const nodeOf = nodesOf(read)
    return (level, index) => {
      const name = `${level}/${index}`
      const known = computed.get(name)
      if (known !== undefined) return known
      // A copy: the node is the first of the bytes of half a tile.
      const node = new Uint8Array(nodeOf(level, index))
      if (computed.size >= COMPUTED_NODES_MAX) computed.clear()
      computed.set(name, node)
      return node
    }
  }
}

function nodesOf(read: ReturnType<typeof tileReader>): NodeOf {
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
