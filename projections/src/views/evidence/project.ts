/** Puts every event of the log but the checkpoints into the tree, in the order of the log. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isCheckpointsStream } from '@svc/contracts/events/evidence'
import { HASH_BYTES, rootOfHashes, writeLeafHash } from '@svc/contracts/evidence/merkle-tree'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { DecodedEvent } from '../../projection/decode.ts'
import type { Projector } from '../../projection/projection.ts'
import { select } from '../../projection/select.ts'
import {
  leafCount,
  POSITION_BYTES,
  positionText,
  TILE_HASHES,
  tileId,
  tileReader,
} from './tiles.ts'

/** The last tile of a level, which grows. */
interface OpenTile {
  tile: number
  count: number
  readonly hashes: Buffer
}

export class EvidenceProjector implements Projector {
  readonly #database: DatabaseSync
  readonly #putTile: StatementSync
  readonly #putPositions: StatementSync
  /** The open tiles of the levels; undefined until the first event, and after a failure. */
  #levels: OpenTile[] | undefined
  readonly #positions = Buffer.alloc(TILE_HASHES * POSITION_BYTES)
  /** The tiles that became full. The next flush writes them. */
  readonly #full: [level: number, tile: number, hashes: Buffer][] = []
  readonly #fullPositions: [tile: number, first: string, positions: Buffer][] = []

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#putTile = database.prepare('INSERT OR REPLACE INTO tiles VALUES (?,?)')
    this.#putPositions = database.prepare('INSERT OR REPLACE INTO leaf_positions VALUES (?,?,?)')
  }

  /**
   * Events that nobody can read are in the tree too: what was signed must not depend on who reads
   * it.
   */
  fold(_events: readonly DecodedEvent[], recorded: readonly RecordedEvent[]): void {
    this.#levels ??= this.#load()
    const levels = this.#levels
    for (const { stream, position, hash } of recorded) {
      if (isCheckpointsStream(stream)) continue
      const leaves = levelOf(levels, 0)
      this.#positions.writeBigInt64BE(position, leaves.count * POSITION_BYTES)
      writeLeafHash(hash, leaves.hashes, leaves.count * HASH_BYTES)
      this.#grow(levels, 0)
    }
  }

  writePassing(): void {
    for (const [level, tile, hashes] of this.#full) this.#putTile.get(tileId(level, tile), hashes)
    for (const row of this.#fullPositions) this.#putPositions.get(...row)
    this.#full.length = 0
    this.#fullPositions.length = 0
  }

  /** Everything is written in one step, because beside the full tiles there are only a few rows. */
  flush(): readonly [] {
    this.writePassing()
    this.#levels?.forEach(({ tile, count, hashes }, level) => {
      if (count === 0) return
      this.#putTile.get(tileId(level, tile), hashes.subarray(0, count * HASH_BYTES))
    })
    const leaves = this.#levels?.[0]
    if (leaves !== undefined && leaves.count > 0) {
      this.#putPositions.get(...this.#positionsOf(leaves))
    }
    return []
  }

  forget(): void {
    this.#levels = undefined
    this.#full.length = 0
    this.#fullPositions.length = 0
  }

  /** Lets a level grow: behind its last hash stands one more. */
  #grow(levels: OpenTile[], level: number): void {
    const open = levelOf(levels, level)
    open.count += 1
    if (open.count < TILE_HASHES) return
    const hashes = Buffer.from(open.hashes)
    this.#full.push([level, open.tile, hashes])
    if (level === 0) {
      const [tile, first, positions] = this.#positionsOf(open)
      this.#fullPositions.push([tile, first, Buffer.from(positions)])
    }
    open.tile += 1
    open.count = 0
    const above = levelOf(levels, level + 1)
    above.hashes.set(rootOfHashes(hashes), above.count * HASH_BYTES)
    this.#grow(levels, level + 1)
  }

  #positionsOf({ tile, count }: OpenTile): [number, string, Buffer] {
    const first = positionText(this.#positions.readBigInt64BE(0))
    return [tile, first, this.#positions.subarray(0, count * POSITION_BYTES)]
  }

  #load(): OpenTile[] {
    const read = tileReader(this.#database)
    const levels: OpenTile[] = []
    let count = leafCount(this.#database)
    for (let level = 0; count > 0; level += 1) {
      const open = levelOf(levels, level)
      open.tile = Math.floor(count / TILE_HASHES)
      open.count = count % TILE_HASHES
      if (open.count > 0) open.hashes.set(read(level, open.tile) ?? lost(level, open.tile))
      count = open.tile
    }
    const leaves = levels[0]
    if (leaves !== undefined && leaves.count > 0) this.#loadPositions(leaves.tile)
    return levels
  }

  #loadPositions(tile: number): void {
    const sql = 'SELECT positions FROM leaf_positions WHERE tile = ?'
    const row = select<{ positions: Uint8Array }>(this.#database, sql).get(tile)
    this.#positions.set(row?.positions ?? lost(0, tile))
  }
}

function levelOf(levels: OpenTile[], level: number): OpenTile {
  const open = levels[level]
  if (open !== undefined) return open
  const fresh = { tile: 0, count: 0, hashes: Buffer.alloc(TILE_HASHES * HASH_BYTES) }
  levels[level] = fresh
  return fresh
}

function lost(level: number, tile: number): never {
  throw new Error(`the evidence view lacks the tile ${level}/${tile}`)
}
