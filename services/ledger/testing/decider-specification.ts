/**
 * Given commands that happened, when another one comes, then these events, or this refusal.
 * Every decision is watched: one that changes the state fails the test.
 */
import type { AccountCommand } from '@svc/contracts/commands'
import type { ErrorCode } from '@svc/contracts/errors'
import type { AccountEvent } from '@svc/contracts/events/account'
import { expect } from 'vitest'
import { decide } from '../src/account/decide.ts'
import type { Decision } from '../src/account/decision.ts'
import { evolve } from '../src/account/evolve.ts'
import { type AccountState, unopenedAccount } from '../src/account/state.ts'

export function given(...commands: readonly AccountCommand[]) {
  const state = unopenedAccount()
  for (const command of commands) happen(state, command)
  return {
    state,
    when(command: AccountCommand) {
      const decision = decideWatched(state, command)
      return {
        decision,
        /** Checks the data in part: what is named must be there. */
        thenHappens(...events: readonly [AccountEvent['type'], object?][]): AccountState {
          if (decision.kind !== 'happens') throw new Error(JSON.stringify(decision))
          const expected = events.map(([type, data = {}]) => ({
            type,
            data: expect.objectContaining(data),
          }))
          expect(decision.events).toEqual(expected)
          for (const event of decision.events) evolve(state, event)
          return state
        },
        thenNothing(): void {
          expect(decision).toEqual({ kind: 'happens', events: [] })
        },
        thenRefused(code: ErrorCode, message: RegExp = /./): void {
          expect(decision).toMatchObject({
            kind: 'refused',
            refusal: { code, message: expect.stringMatching(message) },
          })
        },
        thenWaits(): void {
          expect(decision).toMatchObject({ kind: 'waits', refusal: { code: 'balance_in_use' } })
        },
      }
    },
  }
}

/** @returns the events */
export function happen(state: AccountState, command: AccountCommand): readonly AccountEvent[] {
  const decision = decideWatched(state, command)
  if (decision.kind !== 'happens') {
    throw new Error(`${command.type} does not happen: ${JSON.stringify(decision)}`)
  }
  for (const event of decision.events) evolve(state, event)
  return decision.events
}

export function decideWatched(state: AccountState, command: AccountCommand): Decision {
  const before = structuredClone(state)
  const decision = decide(state, command)
  expect(state).toEqual(before)
  return decision
}
