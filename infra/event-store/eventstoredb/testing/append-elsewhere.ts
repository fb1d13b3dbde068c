/**
 * A process for tests: appends once to a stream, on top of whatever is there, and ends. It has a
 * client of its own, which must not share a process with another.
 *
 *     node append-elsewhere.ts URL PREFIX STREAM EVENTS      (EVENTS: JSON of new events)
 *
 * It prints the outcome.
 */
import { writeSync } from 'node:fs'
import { type NewEvent, NO_STREAM } from '@svc/contracts/ports/event-store'
import { openEventStoreDb } from '../open-eventstoredb.ts'

const STANDARD_OUTPUT = 1

const [, , url = '', streamPrefix = '', stream = '', json = '[]'] = process.argv
const store = await openEventStoreDb({ url, streamPrefix })
const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
const events = JSON.parse(json) as NewEvent[]
const outcome = await store.append({ stream, expected: last ?? NO_STREAM, events })
await store.close()
writeSync(STANDARD_OUTPUT, `${outcome.kind}\n`)
