/** Decides about credit that comes, and credit that expires. */
import type { ExpireCredit, GrantCredit } from '@svc/contracts/commands'
import { type AccountEventOf, GRANT_PRIORITY_MAX } from '@svc/contracts/events/account'
import { contentOfText } from '@svc/contracts/kept-text'
import type { PicoDollars } from '@svc/contracts/money'
import { smallerOf } from './burn-down.ts'
import { isSameContent } from './content.ts'
import { type Decision, happens, nothingToDo, refused } from './decision.ts'
import {
  type AccountState,
  GRANTS_MAX,
  GRANTS_WITH_CREDIT_MAX,
  type Grant,
  grantOfReference,
} from './state.ts'

/** Expired grants that are written off by one command; the next command goes on. */
const EXPIRED_PER_COMMAND_MAX = 100
/**
 * Expired grants that one append writes off together with a change of the balance, because an
 * append has a bound.
 */
const EXPIRED_WITH_A_CHANGE_MAX = 400
const RETRY_SECONDS = 1
const REFERENCE_CHARACTERS_MAX = 200
const REASON_CHARACTERS_MAX = 500

export function decideGrant(state: AccountState, command: GrantCredit): Decision {
  const { reference } = command
  const made =
    state.grants.get(command.grantId) ??
    (reference === null ? undefined : grantOfReference(state, reference))
  if (made !== undefined) {
    return isSameGrant(made, command)
      ? nothingToDo
      : refused('conflict', 'This grant was made before, with other content.')
  }
  return (
    refuseMalformed(command) ?? refuseNewCredit(state, 1) ?? happens(creditGranted(state, command))
  )
}

/** @param count of grants that would be new */
export function refuseNewCredit(state: AccountState, count: number): Decision | undefined {
  const ever = state.grants.size + count
  if (ever <= GRANTS_MAX && state.burning.length + count <= GRANTS_WITH_CREDIT_MAX) {
    return undefined
  }
  return tooManyGrants()
}

export function tooManyGrants(): Decision {
  return refused('conflict', 'The account has as many grants as an account can have.')
}

function refuseMalformed(command: GrantCredit): Decision | undefined {
  const { amount, expiresAt, priority, at } = command
  if (amount <= 0n) {
    return refused('invalid_value', 'A grant must be more than zero.', { param: 'amount' })
  }
  if (!Number.isSafeInteger(priority) || priority < 0 || priority > GRANT_PRIORITY_MAX) {
    const message = `The priority of a grant is a whole number from 0 to ${GRANT_PRIORITY_MAX}.`
    return refused('invalid_value', message, { param: 'priority' })
  }
  if (expiresAt !== null && expiresAt <= at) {
    return refused('invalid_value', 'The grant would have expired already.', {
      param: 'expires_at',
    })
  }
  return refuseTexts(command)
}

/** The texts that say where money comes from and why. */
export function refuseTexts({
  reference,
  reason,
}: Pick<GrantCredit, 'reference' | 'reason'>): Decision | undefined {
  if (reference === '' || [...(reference ?? '')].length > REFERENCE_CHARACTERS_MAX) {
    const message = `A reference has 1 to ${REFERENCE_CHARACTERS_MAX} characters.`
    return refused('invalid_value', message, { param: 'reference' })
  }
  if ([...reason].length > REASON_CHARACTERS_MAX) {
    const message = `A reason has at most ${REASON_CHARACTERS_MAX} characters.`
    return refused('invalid_value', message, { param: 'reason' })
  }
  return undefined
}

/** What an account has when credit that is past its time is written off first. */
export interface AccountFunds {
  /** The events that write it off. */
  readonly expired: readonly AccountEventOf<'CreditExpired'>[]
  /** What the grants have left then, in the order in which they burn. */
  readonly credit: readonly Pick<Grant, 'grantId' | 'remaining'>[]
  readonly balance: PicoDollars
}

/**
 * Refuses a change of the balance while expired credit is in more grants than one append can write
 * off together with the change. That credit is written off first, so that the change neither takes
 * it nor pays it out.
 */
export function refuseTooMuchExpired(state: AccountState, at: number): Decision | undefined {
  const { events, amount } = expiredCredit(state, at, EXPIRED_WITH_A_CHANGE_MAX)
  const writtenOff = events.reduce((sum, { data }) => sum + data.amount, 0n)
  if (writtenOff === amount) return undefined
  const message = 'Credit that has expired is still being written off. Please try again.'
  return refused('view_behind', message, { retryAfterSeconds: RETRY_SECONDS })
}

export function fundsAfterExpiry(state: AccountState, at: number): AccountFunds {
  const { events } = expiredCredit(state, at, EXPIRED_WITH_A_CHANGE_MAX)
  const lost = new Map(events.map(({ data }) => [data.grantId, data.amount]))
  const credit = state.burning.map(({ grantId, remaining }) => ({
    grantId,
    remaining: remaining - (lost.get(grantId) ?? 0n),
  }))
  const balance = events.at(-1)?.data.balanceAfter ?? state.balance
  return { expired: events, credit, balance }
}

export interface ExpiredCredit {
  readonly events: readonly AccountEventOf<'CreditExpired'>[]
  /** All that is past its time and not needed by a hold, also where the events are cut short. */
  readonly amount: PicoDollars
}

export function decideExpire(state: AccountState, command: ExpireCredit): Decision {
  return happens(...expiredCredit(state, command.at).events)
}

/**
 * What is past its time and not needed by an open hold. Holds are met by the grants in the order in
 * which they burn, so that a request costs the same grants whether somebody looks meanwhile or not;
 * what they need of an expired grant stays until they have ended.
 */
export function expiredCredit(
  state: AccountState,
  at: number,
  eventsMax = EXPIRED_PER_COMMAND_MAX,
): ExpiredCredit {
  const events: AccountEventOf<'CreditExpired'>[] = []
  let held = state.held
  let balanceAfter = state.balance
  let amount = 0n
  for (const { grantId, expiresAt, remaining } of state.burning) {
    const needed = smallerOf(remaining, held)
    held -= needed
    const expiring = remaining - needed
    if (expiresAt === null || at < expiresAt || expiring === 0n) continue
    amount += expiring
    if (events.length >= eventsMax) continue
    balanceAfter -= expiring
    events.push({ type: 'CreditExpired', data: { grantId, amount: expiring, balanceAfter, at } })
  }
  return { events, amount }
}

function creditGranted(
  state: AccountState,
  { type: _, actor: __, ...grant }: GrantCredit,
): AccountEventOf<'CreditGranted'> {
  const paidDebt = smallerOf(state.debt, grant.amount)
  const balanceAfter = state.balance + grant.amount
  return { type: 'CreditGranted', data: { ...grant, paidDebt, balanceAfter } }
}

function isSameReference(made: string | null, asked: string | null): boolean {
  return isSameContent(made && contentOfText(made), asked && contentOfText(asked))
}

/** Compares what makes a payment the same; grantor and reason may differ when it is sent again. */
function isSameGrant(made: Grant, asked: GrantCredit): boolean {
  return (
    made.amount === asked.amount &&
    made.category === asked.category &&
    made.priority === asked.priority &&
    made.expiresAt === asked.expiresAt &&
    isSameReference(made.reference, asked.reference)
  )
}
