/** For tests: a store on a double of its own, and another process that writes beside it. */
import type { NewEvent } from '@svc/contracts/ports/event-store'
import { runProgram } from '@svc/testing/child-process'
import { type DoubleOptions, EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import type { EventStoreDbEventStore } from '../eventstoredb-event-store.ts'
import { type EventStoreDbOptions, openEventStoreDb } from '../open-eventstoredb.ts'

export const PREFIX = 'test.'
const PROGRAM = new URL('append-elsewhere.ts', import.meta.url)

export interface StoreOnDouble {
  readonly double: EventStoreDbDouble
  readonly store: EventStoreDbEventStore
  /** The warnings that the operator was told. */
  readonly warnings: readonly string[]
}

/** Runs a test, and afterwards ends the store before its server. */
export async function withStore(
  { url, double: doubleOptions, ...options }: StoreOnDoubleOptions,
  act: (parts: StoreOnDouble) => Promise<void>,
): Promise<void> {
  const double = await EventStoreDbDouble.start(doubleOptions)
  const warnings: string[] = []
  const logger = { warn: (_: object, message: string) => void warnings.push(message) }
  const address = double.url + (url ?? '')
  const store = await openEventStoreDb({ streamPrefix: PREFIX, logger, ...options, url: address })
  try {
    await act({ double, store, warnings })
  } finally {
    double.thaw()
    await store.close()
    await double.close()
  }
}

interface StoreOnDoubleOptions extends Omit<EventStoreDbOptions, 'url'> {
  /** More text for the end of the address. */
  readonly url?: string
  readonly double?: DoubleOptions
}

/** Appends on top of the stream, in another process. @returns the kind of the outcome */
export async function appendElsewhere(
  double: EventStoreDbDouble,
  stream: string,
  events: readonly NewEvent[],
  prefix: string = PREFIX,
): Promise<string> {
  const program = runProgram(PROGRAM, [double.url, prefix, stream, JSON.stringify(events)])
  await program.ended
  await program.printed(1)
  return program.lines[0] ?? ''
}
