/**
 * Finds events by their ids, for a store that has no index of ids: an EventStoreDB finds an event
 * by its place alone.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Projection } from '../../projection/projection.ts'
import { NumberedTuples } from '../numbered-tuples.ts'
import { projectorOf, type RowPart } from '../row-parts.ts'
import { eventPlacesSchema, startOfId } from './schema.ts'

type Place = readonly [idStart: number, stream: number, revision: number]

export const eventPlacesProjection: Projection = {
  name: 'events',
  version: 1,
  schema: eventPlacesSchema,
  tables: [
    { name: 'streams', key: ['number'] },
    { name: 'places', key: ['id_start', 'stream', 'revision'] },
  ],
  projector(database) {
    const streams = new NumberedTuples(database, 'streams', ['stream'])
    const places = new NewPlaces(database)
    return {
      ...projectorOf({ passing: [streams, places], kept: [] }, () => {}),
      /** Events that nobody can read are found too. */
      fold(_events, recorded) {
        for (const { id, stream, revision } of recorded) {
          const idStart = startOfId(id)
          // An id that is none of ours was written by somebody else, and nobody asks for it.
          if (idStart !== undefined) places.add([idStart, streams.numberOf(stream), revision])
        }
      },
    }
  },
}

class NewPlaces implements RowPart {
  readonly #insert: StatementSync
  readonly #waiting: Place[] = []

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO places VALUES (?,?,?)')
  }

  add(place: Place): void {
    this.#waiting.push(place)
  }

  *flush(): Generator<undefined> {
    for (const place of this.#waiting) {
      this.#insert.get(...place)
      yield
    }
    this.clear()
  }

  clear(): void {
    this.#waiting.length = 0
  }
}
