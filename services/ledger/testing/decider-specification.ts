/**
 * Given events, when a command comes, then these events, or this refusal.
 * Every decision is watched: one that changes the state fails the test.
 */
import { inspect } from 'node:util'
import type { AccountCommand } from '@svc/contracts/commands'
import type { ErrorCode } from '@svc/contracts/errors'
import type { AccountEvent } from '@svc/contracts/events/account'
import { expect } from 'vitest'
import { accountDecider } from '../src/account/decider/decider.ts'
import type { Decision, Refusal } from '../src/account/decision.ts'
import type { AccountState } from '../src/account/state.ts'

const { decide, evolve, initialState } = accountDecider

type Step = AccountCommand | AccountEvent

/** @param events as a log holds them, oldest first, whoever decided them and when */
export function given(...events: readonly (AccountEvent | readonly AccountEvent[])[]) {
  const state = events.flat().reduce(evolve, initialState())
  return {
    state,
    when(command: AccountCommand) {
      const decision = decideWatched(state, command)
      return {
        decision,
        /** Checks the data in part: what is named must be there. */
        thenHappens(...expected: readonly [AccountEvent['type'], object?][]): AccountState {
          if (decision.kind !== 'happens') throw new Error(inspect(decision))
          expect(decision.events).toEqual(
            expected.map(([type, data = {}]) => ({ type, data: expect.objectContaining(data) })),
          )
          return decision.events.reduce(evolve, state)
        },
        thenNothing(): void {
          expect(decision).toEqual({ kind: 'happens', events: [] })
        },
        /** @param details in part, like the data of events */
        thenRefused(code: ErrorCode, message = /./, details: Partial<Refusal> = {}): void {
          expect(decision).toMatchObject({
            kind: 'refused',
            refusal: { code, message: expect.stringMatching(message), ...details },
          })
        },
        thenWaits(): void {
          expect(decision).toMatchObject({ kind: 'waits', refusal: { code: 'balance_in_use' } })
        },
      }
    },
  }
}

/** The events of a history that is too long to write out: each command adds those it makes. */
export function history(...steps: readonly Step[]): readonly AccountEvent[] {
  const state = initialState()
  return steps.flatMap((step) => {
    const events = 'data' in step ? [step] : eventsOf(decide(state, step), step)
    for (const event of events) evolve(state, event)
    return events
  })
}

function eventsOf(decision: Decision, { type }: AccountCommand): readonly AccountEvent[] {
  if (decision.kind === 'happens') return decision.events
  throw new Error(`${type} does not happen: ${inspect(decision)}`)
}

export function decideWatched(state: AccountState, command: AccountCommand): Decision {
  const before = structuredClone(state)
  const decision = decide(state, command)
  expect(state).toEqual(before)
  return decision
}
