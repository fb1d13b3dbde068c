/**
 * A great many of the smallest requests there are: nothing is lost to rounding, and the log alone
 * tells the very same state. A million with SVC_TINY_REQUESTS=1000000; CI takes a quarter of it.
 */
import { inspect } from 'node:util'
import type { AccountCommand } from '@svc/contracts/commands'
import { type AccountEvent, accountStream } from '@svc/contracts/events/account'
import { decodeEvent } from '@svc/contracts/events/codec'
import { NO_STREAM } from '@svc/contracts/ports/event-store'
import type { PriceVersion } from '@svc/contracts/price'
import {
  accept,
  accountId,
  createKey,
  grant,
  meter,
  open,
  sampleId,
  settle,
} from '@svc/testing/ledger/sample'
import { expect, test } from 'vitest'
import { recordable } from '../writer/recording.ts'
import { snapshotOf } from '../writer/snapshots.ts'
import { accountDecider } from './decider/decider.ts'
import { type AccountState, unopenedAccount } from './state.ts'

const REQUESTS = Number(process.env.SVC_TINY_REQUESTS ?? 5_000)
const PRICE_CHANGES = 10
const CREDIT = 10n ** 9n

const { decide, evolve } = accountDecider

/** Pico-dollars per token that nothing divides. */
function price(change: number): PriceVersion {
  const perToken = 7n + BigInt(change) * 6n
  return { version: sampleId('price', change), input: perToken, cachedInput: 1n, output: 1n }
}

function snapshotText(state: AccountState): string {
  return snapshotOf(accountStream(accountId), NO_STREAM, state).state
}

// The machine may be as slow as it likes.
test(`pitfall 14: ${REQUESTS} one-token requests, ten price changes`, { timeout: 0 }, () => {
  const state = unopenedAccount()
  const replayed = unopenedAccount()
  let events = 0
  const run = (command: AccountCommand): void => {
    const decision = decide(state, command)
    if (decision.kind !== 'happens') throw new Error(inspect(decision))
    for (const event of decision.events) evolve(state, event)
    for (const stored of recordable(decision.events, command, accountId, events)) {
      evolve(replayed, decodeEvent(stored) as AccountEvent)
      events += 1
    }
  }
  for (const command of [open(), createKey(), grant(1, CREDIT)]) run(command)
  let product = 0n
  for (let change = 0; change <= PRICE_CHANGES; change += 1) {
    const pinned = price(change)
    const asked = accept(1, { promptTokens: 1, maxOutputTokens: 0, price: pinned })
    const ended = settle(1, { meter: meter({ inputTokens: 1, outputTokens: 0 }) })
    const from = Math.floor((REQUESTS * change) / (PRICE_CHANGES + 1))
    const to = Math.floor((REQUESTS * (change + 1)) / (PRICE_CHANGES + 1))
    for (let request = from; request < to; request += 1) {
      run(asked)
      run(ended)
    }
    product += BigInt(to - from) * pinned.input
  }
  expect(events).toBe(3 + 3 * REQUESTS)
  expect(state.balance).toBe(CREDIT - product)
  // Nothing in the state grows with the requests that have ended.
  expect(state.openRequests.size + state.idempotencyKeys.size).toBe(0)
  expect(state.grants.size).toBe(1)
  expect(snapshotText(replayed)).toBe(snapshotText(state))
})
