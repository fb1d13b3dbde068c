/**
 * The decider of an account: `decide(state, command)` says what happens, and changes nothing.
 * Read on in `keys.ts`, `credit.ts`, `burn-down.ts`, `admission.ts` and `settlement.ts`.
 */
import type {
  AccountCommand,
  OpenAccount,
  SetPriceList,
  SetSpendPolicy,
} from '@svc/contracts/commands'
import { decideAccept } from './acceptance.ts'
import { decideExpire, decideGrant } from './credit.ts'
import { type Decision, happens, nothingToDo, refused } from './decision.ts'
import { decideCreateKey, decideRevokeKey } from './keys.ts'
import { decideAbandon, decideFail, decideSettle } from './settlement.ts'
import type { AccountState } from './state.ts'

const MAX_NAME_CHARACTERS = 200

export function decide(state: AccountState, command: AccountCommand): Decision {
  if (command.type === 'OpenAccount') return decideOpen(state, command)
  if (state.accountId === null) return refused('not_found', 'There is no such account.')
  switch (command.type) {
    case 'SetSpendPolicy':
      return decideSpendPolicy(state, command)
    case 'SetPriceList':
      return decidePriceList(state, command)
    case 'CreateApiKey':
      return decideCreateKey(state, command)
    case 'RevokeApiKey':
      return decideRevokeKey(state, command)
    case 'GrantCredit':
      return decideGrant(state, command)
    case 'ExpireCredit':
      return decideExpire(state, command)
    case 'AcceptRequest':
      return decideAccept(state, command)
    case 'SettleRequest':
      return decideSettle(state, command)
    case 'FailRequest':
      return decideFail(state, command)
    case 'AbandonRequest':
      return decideAbandon(state, command)
  }
}

function decideOpen(state: AccountState, command: OpenAccount): Decision {
  const { accountId, name, spendPolicy, at } = command
  if (state.accountId !== null) {
    return state.accountId === accountId && state.name === name
      ? nothingToDo
      : refused('conflict', 'The account exists already, with other content.')
  }
  if (name.length === 0 || name.length > MAX_NAME_CHARACTERS) {
    const message = `The name of an account must have 1 to ${MAX_NAME_CHARACTERS} characters.`
    return refused('invalid_value', message, { param: 'name' })
  }
  return happens({
    type: 'AccountOpened',
    data: { accountId, name, currency: 'USD', spendPolicy, at },
  })
}

function decideSpendPolicy(state: AccountState, command: SetSpendPolicy): Decision {
  const { spendPolicy, at } = command
  if (state.spendPolicy === spendPolicy) return nothingToDo
  return happens({ type: 'SpendPolicySet', data: { spendPolicy, at } })
}

/** That there is such a list was looked up before: an account knows no prices. */
function decidePriceList(state: AccountState, { priceList, at }: SetPriceList): Decision {
  if (state.priceList === priceList) return nothingToDo
  return happens({ type: 'PriceListSet', data: { priceList, at } })
}
