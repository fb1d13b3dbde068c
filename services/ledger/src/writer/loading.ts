/** Folds an account from its stream, or from a snapshot and the events behind it. */

import { accountStream, isAccountEvent } from '@svc/contracts/events/account'
import { decodeEvent } from '@svc/contracts/events/codec'
import {
  type EventStore,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  type StreamHead,
} from '@svc/contracts/ports/event-store'
import { damagedAt } from '@svc/contracts/ports/quarantine'
import type { SnapshotStore } from '@svc/contracts/ports/snapshot-store'
import { pause, type Timer } from '@svc/contracts/ports/time'
import { accountDecider } from '../account/decider/decider.ts'
import type { AccountState } from '../account/state.ts'
import { stateOfSnapshot } from './snapshots.ts'

const { evolve, initialState } = accountDecider

/**
 * How new a state is: *newest*, the end of the stream was read or written a moment ago, so that it
 * is enough to refuse on; *recent*, others may have written since, and an append at its exact
 * revision will show; *outdated*, to be read on before anything is decided.
 */
export type Freshness = 'newest' | 'recent' | 'outdated'

/** A state together with the head of the stream that it was folded up to. */
export interface LoadedAccount {
  readonly state: AccountState
  freshness: Freshness
  /**
   * For a `newest` state: the number of the last job of its writer that had come when the read or
   * the append began that made it so. For later jobs the state is not the newest.
   */
  newestFor: number
  head: StreamHead
  /** The position of the event at the head; undefined for a stream without events. */
  position: Position | undefined
  /** Events since the last snapshot. */
  unsavedEvents: number
}

export interface LoadingPorts {
  readonly store: EventStore
  readonly snapshots: SnapshotStore
  readonly timer: Timer
  readonly pageEvents: number
}

/**
 * @param newestFor the number of the last job that has come
 * @throws {BrokenChainError}
 * @throws {DamagedStreamError} when the ledger cannot have made this history
 */
export async function loadAccount(
  ports: LoadingPorts,
  stream: string,
  newestFor: number,
): Promise<LoadedAccount> {
  const account = (await loadSnapshot(ports, stream)) ?? {
    state: initialState(),
    freshness: 'outdated' as const,
    newestFor: 0,
    head: NO_STREAM,
    position: undefined,
    unsavedEvents: 0,
  }
  await catchUp(ports, stream, account, newestFor)
  return account
}

/**
 * Folds the events behind the head into the state, which is then the newest.
 *
 * @param newestFor the number of the last job that has come
 */
export async function catchUp(
  { store, timer, pageEvents }: LoadingPorts,
  stream: string,
  account: LoadedAccount,
  newestFor: number,
): Promise<void> {
  for (;;) {
    const from = account.head.revision + 1
    const page = await store.readStream({ stream, direction: 'forwards', from, limit: pageEvents })
    for (const recorded of page) {
      fold(account.state, recorded)
      account.head = { revision: recorded.revision, hash: recorded.hash }
      account.position = recorded.position
      account.unsavedEvents += 1
    }
    if (page.length < pageEvents) {
      account.freshness = 'newest'
      account.newestFor = newestFor
      return
    }
    // A long history must not keep the process from its other work.
    await pause(timer, 0)
  }
}

function fold(state: AccountState, recorded: RecordedEvent): void {
  try {
    const event = decodeEvent(recorded)
    if (!isAccountEvent(event)) throw new RangeError('it belongs into another stream')
    if (event.type === 'AccountOpened' && accountStream(event.data.accountId) !== recorded.stream) {
      throw new RangeError('it opens another account')
    }
    evolve(state, event)
  } catch (cause) {
    throw damagedAt(recorded, cause)
  }
}

/** A snapshot counts only when the stream has, at its revision, the very event it was made at. */
async function loadSnapshot(
  { store, snapshots }: LoadingPorts,
  stream: string,
): Promise<LoadedAccount | undefined> {
  const snapshot = snapshots.load(stream)
  if (snapshot === undefined || snapshot.stream !== stream) return undefined
  const { revision, hash } = snapshot.head
  if (!Number.isSafeInteger(revision) || revision < 0) return undefined
  const [event] = await store.readStream({
    stream,
    direction: 'forwards',
    from: revision,
    limit: 1,
  })
  if (event === undefined || event.hash !== hash) return undefined
  const state = stateOfSnapshot(snapshot)
  if (state === undefined) return undefined
  const head = { revision, hash }
  const isRead = { freshness: 'outdated', newestFor: 0, position: event.position } as const
  return { ...isRead, state, head, unsavedEvents: 0 }
}
