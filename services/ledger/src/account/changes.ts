/** The operator's changes: each happens once, however often it is asked for. */
import type {
  AccountCommand,
  EraseTexts,
  GrantCredit,
  RenameAccount,
  SetPriceList,
  SetSpendPolicy,
} from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import { contentOfText } from '@svc/contracts/kept-text'
import { contentOfChange, isSameContent } from './content.ts'
import { type Decision, happens, nothingToDo, refused } from './decision.ts'
import type { AccountState } from './state.ts'

const NAME_CHARACTERS_MAX = 200

/** What a change is, of its command and of its event alike: kept, so that a repetition is known. */
export function changeOf(change: AccountCommand | AccountEvent): string | undefined {
  switch (change.type) {
    case 'SetSpendPolicy':
      return contentOfChange('policy', change.spendPolicy)
    case 'SpendPolicySet':
      return contentOfChange('policy', change.data.spendPolicy)
    case 'RenameAccount':
      return contentOfChange('name', contentOfText(change.name))
    case 'AccountRenamed':
      return contentOfChange('name', contentOfText(change.data.name))
    case 'RenameApiKey':
      return contentOfChange('key name', change.keyId, contentOfText(change.name))
    case 'ApiKeyRenamed':
      return contentOfChange('key name', change.data.keyId, contentOfText(change.data.name))
    case 'SetApiKeyExpiry':
      return contentOfChange('key expiry', change.keyId, `${change.expiresAt}`)
    case 'ApiKeyExpirySet':
      return contentOfChange('key expiry', change.data.keyId, `${change.data.expiresAt}`)
    case 'FreezeAccount':
    case 'AccountFrozen':
      return contentOfChange('freeze')
    case 'UnfreezeAccount':
    case 'AccountUnfrozen':
      return contentOfChange('unfreeze')
    case 'CloseAccount':
    case 'AccountClosed':
      return contentOfChange('close')
    case 'VoidGrant':
      return contentOfChange('void', change.grantId)
    case 'GrantVoided':
      return contentOfChange('void', change.data.grantId)
    case 'EraseTexts':
    case 'TextsErased':
      return contentOfChange('erase')
    case 'GrantCredit':
      return contentOfGrant(change)
    case 'CreditGranted':
      return contentOfGrant(change.data)
    default:
      return undefined
  }
}

/** The reference is in the grant's id, which is made of it. */
function contentOfGrant(
  grant: Pick<GrantCredit, 'grantId' | 'amount' | 'category' | 'priority' | 'expiresAt'>,
): string {
  const { grantId, amount, category, priority, expiresAt } = grant
  return contentOfChange('grant', grantId, `${amount}`, category, `${priority}`, `${expiresAt}`)
}

/** @returns undefined when the change is a new one */
export function decideRepeatedChange(
  state: AccountState,
  command: AccountCommand,
): Decision | undefined {
  const changeId = 'changeId' in command ? command.changeId : null
  const known = changeId === null ? undefined : state.changes.get(changeId)
  if (known === undefined) return undefined
  return isSameContent(known, changeOf(command))
    ? nothingToDo
    : refused('conflict', 'Something else was asked for under this idempotency key.')
}

export function decideSpendPolicy(state: AccountState, command: SetSpendPolicy): Decision {
  const { spendPolicy, changeId, reason, at } = command
  if (state.spendPolicy === spendPolicy) return nothingToDo
  return happens({ type: 'SpendPolicySet', data: { spendPolicy, changeId, reason, at } })
}

/** The caller has looked up before that there is such a list: an account knows no prices. */
export function decidePriceList(state: AccountState, { priceList, at }: SetPriceList): Decision {
  if (state.priceList === priceList) return nothingToDo
  return happens({ type: 'PriceListSet', data: { priceList, at } })
}

export function decideRename(state: AccountState, command: RenameAccount): Decision {
  const { name, changeId, reason, at } = command
  if (contentOfText(name) === contentOfText(state.name)) return nothingToDo
  return (
    refuseName('an account', name) ??
    happens({ type: 'AccountRenamed', data: { changeId, reason, name, at } })
  )
}

/** Each change erases what there is by then, also of an account that is closed. */
export function decideErase({ changeId, reason, at }: EraseTexts): Decision {
  return happens({ type: 'TextsErased', data: { changeId, reason, at } })
}

/** @param what has the name: `an account`, `a key` */
export function refuseName(what: string, name: string): Decision | undefined {
  if (name !== '' && [...name].length <= NAME_CHARACTERS_MAX) return undefined
  const message = `The name of ${what} must have 1 to ${NAME_CHARACTERS_MAX} characters.`
  return refused('invalid_value', message, { param: 'name' })
}
