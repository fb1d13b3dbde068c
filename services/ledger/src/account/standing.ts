/** Decides whether an account may be used: frozen for a while, or closed for ever. */
import type { CloseAccount, FreezeAccount, UnfreezeAccount } from '@svc/contracts/commands'
import { counted } from '@svc/contracts/counted'
import { formatDollars } from '@svc/contracts/money'
import { type AccountFunds, fundsAfterExpiry } from './credit.ts'
import { type Decision, happens, nothingToDo, refused } from './decision.ts'
import type { AccountState } from './state.ts'

export function decideFreeze(state: AccountState, command: FreezeAccount): Decision {
  const { changeId, reason, at } = command
  if (state.frozenAt !== null) return nothingToDo
  return happens({ type: 'AccountFrozen', data: { changeId, reason, at } })
}

export function decideUnfreeze(state: AccountState, command: UnfreezeAccount): Decision {
  const { changeId, reason, at } = command
  if (state.frozenAt === null) return nothingToDo
  return happens({ type: 'AccountUnfrozen', data: { changeId, reason, at } })
}

/**
 * Closes an account where nothing runs and the balance is zero, or the command says what becomes of
 * the rest.
 */
export function decideClose(state: AccountState, command: CloseAccount): Decision {
  if (state.closedAt !== null) return nothingToDo
  const running = state.openRequests.size
  if (running > 0) {
    const message = `The account has ${counted(running, 'running request')}: freeze it, which ends them, and close it then.`
    return refused('conflict', message)
  }
  const funds = fundsAfterExpiry(state, command.at)
  return refuseRemainder(command, funds) ?? close(state, command, funds)
}

function refuseRemainder({ remainder }: CloseAccount, { balance }: AccountFunds) {
  if (balance !== 0n && remainder === 'none') {
    const what = balance > 0n ? 'say whether it is paid out or written off' : 'write it off'
    const message = `The balance is ${formatDollars(balance)}, not zero: ${what}.`
    return refused('conflict', message, { param: 'remainder' })
  }
  if (balance < 0n && remainder === 'paid_out') {
    const message = `The balance is ${formatDollars(balance)}: a debt cannot be paid out.`
    return refused('conflict', message, { param: 'remainder' })
  }
  return undefined
}

function close(state: AccountState, command: CloseAccount, funds: AccountFunds): Decision {
  const { changeId, reason, remainder, reference, at } = command
  const slices = funds.credit
    .filter(({ remaining }) => remaining > 0n)
    .map(({ grantId, remaining }) => ({ grantId, amount: remaining }))
  return happens(...funds.expired, {
    type: 'AccountClosed',
    data: {
      changeId,
      reason,
      remainder: funds.balance === 0n ? 'none' : remainder,
      amount: -funds.balance,
      slices,
      paidDebt: state.debt,
      reference,
      balanceAfter: 0n,
      at,
    },
  })
}
