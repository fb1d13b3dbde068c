/**
 * Says on the server itself that its log is being moved, so that no gateway, from whatever data
 * folder, sells on half of a log or on one that was left. One stream, `migration-` and the name
 * that a stream of ours would have; its last event counts.
 *
 *     filling ─▶ whole     a log comes here
 *     leaving ─▶ left      a log goes away; whole again when it stays after all
 */
import { randomUUID } from 'node:crypto'
import { Backoff } from '@svc/contracts/ports/backoff'
import { StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { StoreOpenError } from '../../store-open-error.ts'
import { systemTimer } from '../../system/system-timer.ts'
import type { EventStoreDbClient } from './client/client.ts'
import type { CurrentClient } from './client/current-client.ts'
import { answerWithin } from './client/deadline.ts'
import { reasonOf } from './client/server-failure.ts'
import type { StreamPrefix } from './layout/stream-prefix.ts'
import { jsonValueOf, NO_EVENTS, type ServerEvent } from './messages/server-event.ts'

const STREAM_PREFIX = 'migration-'
const OWN_STREAM = 'log'
const TYPE = 'MigrationMarked'
const TRIES_MAX = 16
const PAUSES = { firstMs: 50, longestMs: 1_000 }

const states = ['filling', 'whole', 'leaving', 'left'] as const
/** Passes every mark: for who takes one back. */
export const ANY_MIGRATION = 'any'

export interface MigrationMark {
  /** The id of the migration: whoever carries it out may go on. */
  readonly id: string
  readonly state: (typeof states)[number]
}

export interface MigrationMarksPorts {
  readonly client: CurrentClient<EventStoreDbClient>
  readonly streamPrefix: StreamPrefix
  readonly appendTimeoutMs: number
}

export class MigrationMarks {
  readonly #ports: MigrationMarksPorts

  constructor(ports: MigrationMarksPorts) {
    this.#ports = ports
  }

  /** @returns undefined when no log ever came or went */
  async read(): Promise<MigrationMark | undefined> {
    const last = await this.#last()
    return last && markIn(last)
  }

  /** Resolves when it is durable. */
  async write(mark: MigrationMark): Promise<void> {
    const { client, appendTimeoutMs } = this.#ports
    const data = { kind: 'json', text: JSON.stringify(mark) } as const
    const event = { id: randomUUID(), type: TYPE, data, metadata: new Uint8Array() }
    const backoff = new Backoff(systemTimer, PAUSES)
    let cause: unknown
    while (backoff.pauses < TRIES_MAX) {
      const last = await this.#last()
      if (last?.id === event.id) return
      const current = await client.get()
      const sent = current.append(this.#stream, last?.revision ?? NO_EVENTS, [event])
      const result = await answerWithin(appendTimeoutMs, 'an append', sent).catch(
        (error: unknown) => ({ kind: 'unknown', cause: error }) as const,
      )
      if (result.kind === 'appended') return
      if (result.kind !== 'wrong-expected-revision') cause = result.cause
      await backoff.pause()
    }
    const what = 'the event store does not take the mark of the migration'
    throw new StoreUnavailableError(`${what}: ${reasonOf(cause)}`, { cause })
  }

  get #stream(): string {
    return STREAM_PREFIX + this.#ports.streamPrefix.nameOf(OWN_STREAM)
  }

  async #last(): Promise<ServerEvent | undefined> {
    const client = await this.#ports.client.get()
    const [last] = await client.readStream({
      stream: this.#stream,
      direction: 'backwards',
      limit: 1,
    })
    return last
  }
}

/** @returns why nothing may be sold on the log; undefined when it may */
export function refusalOf(mark: MigrationMark | undefined, place: string): string | undefined {
  const store = `the event store at ${place}`
  switch (mark?.state) {
    case 'filling':
      return (
        `${store} holds half of a ledger. Finish its move with svc migrate --to eventstoredb on the ` +
        'data folder that it comes from, or take another SVC_EVENTSTORE_PREFIX'
      )
    case 'leaving':
      return (
        `the ledger of ${store} is being moved to a file: finish that with svc migrate --to sqlite ` +
        'on its data folder, or keep it here with svc migrate --to sqlite --give-up'
      )
    case 'left':
      return (
        `the ledger of ${store} was moved to a file of a data folder: start that one without ` +
        'EVENTSTORE_URL. If it is gone: svc migrate --to sqlite --give-up makes this one count again'
      )
    default:
      return undefined
  }
}

/** @param id of the migration that the caller carries out @throws {StoreOpenError} */
export async function refuseHalfMoved(
  marks: MigrationMarks,
  place: string,
  id: string | undefined,
): Promise<void> {
  const mark = await marks.read()
  const refusal = refusalOf(mark, place)
  const mayPass = id === ANY_MIGRATION || mark?.id === id
  if (refusal !== undefined && !mayPass) throw new StoreOpenError('half-moved', refusal)
}

function markIn({ data }: ServerEvent): MigrationMark | undefined {
  const value = jsonValueOf(data)
  if (typeof value !== 'object' || value === null) return undefined
  const fields = new Map<string, unknown>(Object.entries(value))
  const id = fields.get('id')
  const state = states.find((known) => known === fields.get('state'))
  return typeof id === 'string' && state !== undefined ? { id, state } : undefined
}
