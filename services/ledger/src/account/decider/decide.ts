/**
 * The decider of an account: `decide(state, command)` says what happens, and changes nothing.
 * Read on in the folder around this one: in `keys.ts`, `credit.ts`, `burn-down.ts`, `acceptance.ts`
 * and `settlement.ts`; what the operator changes is in `changes.ts` and `standing.ts`, what is made
 * good in `corrections/`.
 *
 * Nothing is edited: a correction is an event. Whatever comes back pays a debt first, so that there
 * is none while a grant has something left.
 */
import {
  type AcceptRequest,
  type AccountCommand,
  type OpenAccount,
  type SettleRequest,
  textsOf,
} from '@svc/contracts/commands'
import { accountOfTexts, readKeptText } from '@svc/contracts/kept-text'
import { decideAccept } from '../acceptance.ts'
import {
  decideErase,
  decidePriceList,
  decideRename,
  decideRepeatedChange,
  decideSpendPolicy,
  refuseName,
} from '../changes.ts'
import { contentOfAccount, isSameContent } from '../content.ts'
import { decideAdjust } from '../corrections/adjustment.ts'
import { decideCorrectPrice } from '../corrections/price-correction.ts'
import { decideRefund } from '../corrections/refund.ts'
import { decideVoid } from '../corrections/voided-grant.ts'
import { decideExpire, decideGrant, refuseTooMuchExpired } from '../credit.ts'
import { type Decision, happens, nothingToDo, refused } from '../decision.ts'
import { decideCreateKey, decideKeyExpiry, decideRenameKey, decideRevokeKey } from '../keys.ts'
import { decideSettle, decideUncharged } from '../settlement.ts'
import { decideClose, decideFreeze, decideUnfreeze } from '../standing.ts'
import type { AccountState } from '../state.ts'

/** What takes or pays out credit: what is past its time must be written off before it. */
const MOVES_CREDIT: ReadonlySet<AccountCommand['type']> = new Set([
  'CloseAccount',
  'VoidGrant',
  'RefundRequest',
  'AdjustBalance',
  'CorrectPrice',
] as const)

export function decide(state: AccountState, command: AccountCommand): Decision {
  if (command.type === 'OpenAccount') return decideOpen(state, command)
  if (state.accountId === null) {
    return refused('not_found', 'There is no account {account}.', { param: 'account_id' })
  }
  // Nearly all commands: a closed account has no keys to accept with, and nothing runs to settle.
  if (command.type === 'AcceptRequest') return decideAccept(state, command)
  if (command.type === 'SettleRequest') return decideSettle(state, command)
  const decision =
    decideRepeatedChange(state, command) ??
    (MOVES_CREDIT.has(command.type) ? refuseTooMuchExpired(state, command.at) : undefined) ??
    decideNew(state, command)
  return refuseClosed(state, decision) ?? refuseErasedTexts(state, command, decision) ?? decision
}

function decideNew(
  state: AccountState,
  command: Exclude<AccountCommand, OpenAccount | AcceptRequest | SettleRequest>,
): Decision {
  switch (command.type) {
    case 'SetSpendPolicy':
      return decideSpendPolicy(state, command)
    case 'SetPriceList':
      return decidePriceList(state, command)
    case 'RenameAccount':
      return decideRename(state, command)
    case 'FreezeAccount':
      return decideFreeze(state, command)
    case 'UnfreezeAccount':
      return decideUnfreeze(state, command)
    case 'CloseAccount':
      return decideClose(state, command)
    case 'EraseTexts':
      return decideErase(command)
    case 'CreateApiKey':
      return decideCreateKey(state, command)
    case 'RenameApiKey':
      return decideRenameKey(state, command)
    case 'SetApiKeyExpiry':
      return decideKeyExpiry(state, command)
    case 'RevokeApiKey':
      return decideRevokeKey(state, command)
    case 'GrantCredit':
      return decideGrant(state, command)
    case 'VoidGrant':
      return decideVoid(state, command)
    case 'RefundRequest':
      return decideRefund(state, command)
    case 'AdjustBalance':
      return decideAdjust(state, command)
    case 'CorrectPrice':
      return decideCorrectPrice(state, command)
    case 'ExpireCredit':
      return decideExpire(state, command)
    case 'FailRequest':
    case 'AbandonRequest':
      return decideUncharged(state, command)
  }
}

function decideOpen(state: AccountState, command: OpenAccount): Decision {
  const { accountId, name, spendPolicy, externalId, metadata, at } = command
  if (state.accountId !== null) {
    const isSame = isSameContent(state.content, contentOfAccount(command))
    return state.accountId === accountId && isSame ? nothingToDo : refuseOtherContent(command)
  }
  return (
    refuseName('an account', name) ??
    happens({
      type: 'AccountOpened',
      data: { accountId, name, currency: 'USD', spendPolicy, externalId, metadata, at },
    })
  )
}

/** An account is known by its external id, or by the key that it was asked for with. */
function refuseOtherContent({ accountId, externalId }: OpenAccount): Decision {
  if (externalId === null) {
    return refused('conflict', `This account was opened before, with other content: ${accountId}.`)
  }
  const message = `The external id is that of another account: ${accountId}.`
  return refused('conflict', message, { param: 'external_id' })
}

/** Refuses whatever comes after the account's end, but for the erasure of its texts. */
function refuseClosed({ closedAt }: AccountState, decision: Decision): Decision | undefined {
  if (closedAt === null || decision.kind !== 'happens') return undefined
  if (decision.events.every(({ type }) => type === 'TextsErased')) return undefined
  return refused('conflict', 'The account was closed on {when}.', { when: closedAt })
}

/**
 * The texts of the command were kept before those of the account were erased, and went with them.
 * Whoever asks keeps them again.
 */
function refuseErasedTexts(
  { accountId, erasures }: AccountState,
  command: AccountCommand,
  decision: Decision,
): Decision | undefined {
  if (decision.kind !== 'happens' || decision.events.length === 0) return undefined
  const isErased = (text: string): boolean => {
    const word = readKeptText(text)
    if (word === undefined) return false
    const kept = accountOfTexts(word.owner)
    return kept.accountId === accountId && kept.erasures !== erasures
  }
  if (!textsOf(command).some(isErased)) return undefined
  return refused('conflict', 'The texts of the account were erased meanwhile: ask again.')
}
