/** For a store that has no index of ids: an EventStoreDB finds an event by its place alone. */
import type { Projection } from '../../projection/projection.ts'
import { NumberedTuples } from '../numbered-tuples.ts'
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
    const insert = database.prepare('INSERT INTO places VALUES (?,?,?)')
    const waiting: Place[] = []
    return {
      /** Also what nobody can read is found. */
      fold(_events, recorded) {
        for (const { id, stream, revision } of recorded) {
          const idStart = startOfId(id)
          // What is no id of ours was written by somebody else, and is asked for by nobody.
          if (idStart !== undefined) waiting.push([idStart, streams.numberOf(stream), revision])
        }
      },
      flush() {
        streams.flush()
        for (const place of waiting) insert.run(...place)
        waiting.length = 0
      },
      forget() {
        streams.clear()
        waiting.length = 0
      },
    }
  },
}
