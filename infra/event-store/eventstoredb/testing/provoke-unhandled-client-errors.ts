/**
 * A process for tests: brings the client to let errors loose that no caller can catch. For each it
 * prints `unhandled` when it is known to be one of those, and otherwise the error; at last `alive`.
 *
 *     node provoke-unhandled-client-errors.ts
 */
import { writeSync } from 'node:fs'
import { NO_STREAM } from '@svc/contracts/ports/event-store'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { newEvent, newEvents } from '../../compliance/fixtures.ts'
import { EventStoreDbClient } from '../client/client.ts'
import { parseConnectionString } from '../client/connection-string.ts'
import { isUnhandledClientError } from '../client/unhandled-client-errors.ts'
import { NO_EVENTS } from '../messages/server-event.ts'
import { openEventStoreDb } from '../open-eventstoredb.ts'

const STANDARD_OUTPUT = 1
const STREAMS = 60
const READ_TIMEOUT_MS = 5_000
const A_MOMENT_MS = 300

const print = (line: string): void => void writeSync(STANDARD_OUTPUT, `${line}\n`)
const moment = () => new Promise((resolve) => setTimeout(resolve, A_MOMENT_MS))
const onError = (error: unknown): void => {
  print(
    isUnhandledClientError(error)
      ? 'unhandled'
      : `another error: ${error instanceof Error ? error.stack : error}`,
  )
}
process.on('unhandledRejection', onError)
process.on('uncaughtException', onError)

/** Our own encoding of appends goes another way, and lets none of these loose. */
const inLibrary = ({ url }: EventStoreDbDouble): string => `${url}&encoding=library`

/** Appends stand in a row to be written to a connection that then breaks. */
async function breakFullConnection(): Promise<void> {
  const double = await EventStoreDbDouble.start()
  const store = await openEventStoreDb({ url: inLibrary(double), appendTimeoutMs: READ_TIMEOUT_MS })
  const streams = Array.from({ length: STREAMS }, (_, at) => `account-${at}`)
  const heads = streams.map(async (stream) => {
    const outcome = await store.append({ stream, expected: NO_STREAM, events: newEvents(1) })
    return 'head' in outcome ? outcome.head : NO_STREAM
  })
  const expected = await Promise.all(heads)
  double.freeze()
  const large = JSON.stringify('x'.repeat(300_000))
  const appends = streams.map((stream, at) =>
    store.append({ stream, expected: expected[at] ?? NO_STREAM, events: [newEvent(large)] }),
  )
  await moment()
  await double.kill()
  await Promise.allSettled(appends)
  await moment()
  await store.close()
}

/** An answer comes for an append that the end of another client has let go. */
async function endAnotherClient(): Promise<void> {
  const double = await EventStoreDbDouble.start()
  const settings = parseConnectionString(inLibrary(double))
  const clients = [1, 2].map(() => new EventStoreDbClient(settings, READ_TIMEOUT_MS))
  const [one, other] = clients
  const event = {
    id: crypto.randomUUID(),
    type: 'Noted',
    data: { kind: 'json', text: '{}' } as const,
    metadata: new Uint8Array(),
  }
  await one?.append('one', NO_EVENTS, [event])
  double.faults.holdAppends()
  const pending = other?.append('other', NO_EVENTS, [event])
  await moment()
  await one?.retire()
  print((await pending)?.kind ?? '')
  double.faults.releaseAppends()
  await moment()
  await other?.retire()
  await double.close()
}

await breakFullConnection()
print('full connection broken')
await endAnotherClient()
print('alive')
process.exit()
