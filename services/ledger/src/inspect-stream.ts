/**
 * Reads a stream from its first event to its last, as whoever decides on it would: its chain, each
 * event, and for an account whether the ledger can have made this history.
 */
import { accountOfStream } from '@svc/contracts/events/account'
import { decodeEvent } from '@svc/contracts/events/codec'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { damagedAt, damageIn, type StreamDamage } from '@svc/contracts/ports/quarantine'
import { pause, type Timer } from '@svc/contracts/ports/time'
import { loadAccount } from './writer/loading.ts'

const PAGE_EVENTS = 1_000

export interface InspectionPorts {
  readonly store: EventStore
  readonly timer: Timer
}

/**
 * @returns what is wrong with the stream; undefined when it is whole
 * @throws {StoreUnavailableError} when that cannot be known now
 */
export async function inspectStream(
  ports: InspectionPorts,
  stream: string,
): Promise<StreamDamage | undefined> {
  try {
    if (accountOfStream(stream) === undefined) await readEvents(ports, stream)
    else await loadAccount({ ...ports, snapshots: noSnapshots, pageEvents: PAGE_EVENTS }, stream, 0)
    return undefined
  } catch (error) {
    const damage = damageIn(error)
    if (damage === undefined) throw error
    return damage
  }
}

const noSnapshots = {
  load: () => undefined,
  heads: () => [],
  save: () => false,
  clear() {},
  close() {},
}

async function readEvents({ store, timer }: InspectionPorts, stream: string): Promise<void> {
  for (let from = 0; ; from += PAGE_EVENTS) {
    const request = { stream, direction: 'forwards', from, limit: PAGE_EVENTS } as const
    const page = await store.readStream(request)
    for (const recorded of page) {
      try {
        decodeEvent(recorded)
      } catch (cause) {
        throw damagedAt(recorded, cause)
      }
    }
    if (page.length < PAGE_EVENTS) return
    // A long history must not keep the process from its other work.
    await pause(timer, 0)
  }
}
