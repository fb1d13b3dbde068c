/** The tree as it stands: its size, its roots and its proofs. */
import type { DatabaseSync } from 'node:sqlite'
import {
  consistencyProof,
  HASH_BYTES,
  inclusionProof,
  leafHash,
  rootOf,
} from '@svc/contracts/evidence/merkle-tree'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { select } from '../../projection/select.ts'
import {
  leafCount,
  nodeReaders,
  POSITION_BYTES,
  positionText,
  TILE_HASHES,
  tileReader,
} from './tiles.ts'

export interface EvidenceQueries {
  /** How many events are in the tree. */
  treeSize(): number
  /** The root over the first `size` events. @throws {RangeError} when there are fewer */
  treeRoot(size: number): Uint8Array
  /**
   * The number of an event's leaf; undefined when it is not in the tree yet.
   *
   * @throws when another event is in its place: the log was altered
   */
  leafOf(
    event: Pick<RecordedEvent, 'position' | 'hash' | 'stream' | 'revision'>,
  ): number | undefined
  /** @throws {RangeError} when the leaf is not in a tree of that size, or there is none so large */
  inclusionProof(leaf: number, size: number): readonly Uint8Array[]
  /** @throws {RangeError} when the first is larger than the second, or the second than the tree */
  consistencyProof(first: number, second: number): readonly Uint8Array[]
}

export function evidenceQueries(database: DatabaseSync): EvidenceQueries {
  const size = () => leafCount(database)
  const placeOf = leafPlaces(database)
  const hashesOf = tileReader(database)
  const newNodeReader = nodeReaders(database)
  const within = (asked: number) => {
    if (asked > size()) throw new RangeError('the tree is not that large')
    return newNodeReader()
  }
  return {
    treeSize: size,
    treeRoot: (asked) => rootOf(asked, within(asked)),
    leafOf({ position, hash, stream, revision }) {
      const place = placeOf(positionText(position), position)
      if (place === undefined) return undefined
      const from = place.at * HASH_BYTES
      const known = hashesOf(0, place.tile)?.subarray(from, from + HASH_BYTES)
      if (!leafHash(Buffer.from(hash, 'hex')).equals(known ?? Buffer.alloc(0))) {
        throw new Error(`event ${revision} of ${stream} is not what it was when it was recorded`)
      }
      return place.tile * TILE_HASHES + place.at
    },
    inclusionProof: (leaf, asked) => inclusionProof(leaf, asked, within(asked)),
    consistencyProof: (first, second) => consistencyProof(first, second, within(second)),
  }
}

interface LeafPlace {
  readonly tile: number
  /** The place within the tile. */
  readonly at: number
}

function leafPlaces(
  database: DatabaseSync,
): (text: string, position: bigint) => LeafPlace | undefined {
  const before = select<{ tile: number; positions: Uint8Array }>(
    database,
    `
    SELECT tile, positions FROM leaf_positions
    WHERE first_position <= ? ORDER BY first_position DESC LIMIT 1`,
  )
  return (text, position) => {
    const row = before.get(text)
    if (row === undefined) return undefined
    const wanted = Buffer.alloc(POSITION_BYTES)
    wanted.writeBigInt64BE(position)
    const positions = Buffer.from(row.positions)
    for (let at = 0; at * POSITION_BYTES < positions.length; at += 1) {
      const from = at * POSITION_BYTES
      if (wanted.equals(positions.subarray(from, from + POSITION_BYTES))) {
        return { tile: row.tile, at }
      }
    }
    return undefined
  }
}
