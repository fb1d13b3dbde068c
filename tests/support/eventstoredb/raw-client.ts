/**
 * For the double's own tests: the client as its makers ship it, with nothing of ours around it.
 *
 * All clients of a process have one table of pending appends between them, so there is only ever
 * one, and it is disposed of before the next is made.
 */
import { randomUUID } from 'node:crypto'
import {
  type AllStreamResolvedEvent,
  binaryEvent,
  type EventData,
  EventStoreDBClient,
} from '@eventstore/db-client'
import { type DoubleOptions, EventStoreDbDouble } from './eventstoredb-double.ts'

export * from '@eventstore/db-client'

export interface DoubleSession {
  readonly double: EventStoreDbDouble
  readonly client: EventStoreDBClient
}

/** Runs a test against a double of its own. @param query more of the connection string */
export async function withDouble(
  options: DoubleOptions,
  act: (session: DoubleSession) => Promise<void>,
  query = '',
): Promise<void> {
  const double = await EventStoreDbDouble.start(options)
  const client = EventStoreDBClient.connectionString(double.url + query)
  try {
    await act({ double, client })
  } finally {
    double.thaw()
    await client.dispose()
    await double.close()
  }
}

export function newEvent(content = 'x', id: string = randomUUID()): EventData {
  return binaryEvent({ id, type: 'Happened', data: Buffer.from(content) })
}

export function newEvents(count: number, content?: string): EventData[] {
  return Array.from({ length: count }, () => newEvent(content))
}

/** The error that something fails with. */
export async function failureOf(something: Promise<unknown>): Promise<unknown> {
  try {
    await something
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

/** All that a read gives. */
export async function collect<Event>(events: AsyncIterable<Event>): Promise<Event[]> {
  const collected: Event[] = []
  for await (const event of events) collected.push(event)
  return collected
}

/** The ids of what stands in a stream. */
export async function idsIn(client: EventStoreDBClient, stream: string): Promise<string[]> {
  const events = await collect(client.readStream(stream))
  return events.map(({ event }) => event?.id ?? '')
}

/** The position of an event of `$all`. */
export function positionOf({ event }: AllStreamResolvedEvent): bigint {
  return event?.position?.commit ?? -1n
}
