/** The decider of an account: `decide` in `decide.ts`, `evolve` in `evolve.ts`. Pure. */
import type { AccountCommand } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import type { Decision } from '../decision.ts'
import { type AccountState, unopenedAccount } from '../state.ts'
import { decide } from './decide.ts'
import { evolve } from './evolve.ts'

export { InconsistentHistoryError } from '../state.ts'

/** Three functions are all that a domain is: what is asked, what happens, where it begins. */
export interface Decider<State, Command, Event, Decision> {
  /** What happens. Never changes the state. */
  readonly decide: (state: State, command: Command) => Decision
  /** The state after the event; it may be the very object that was given, changed. */
  readonly evolve: (state: State, event: Event) => State
  readonly initialState: () => State
}

export const accountDecider: Decider<AccountState, AccountCommand, AccountEvent, Decision> = {
  decide,
  evolve,
  initialState: unopenedAccount,
}
