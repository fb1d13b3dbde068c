/** A customer of a ledger on the clock of the machine, for loads and benches. */
import { parseDollars } from '@svc/contracts/money'
import type { Ledger } from '@svc/ledger/ledger'

export interface Customer {
  readonly accountId: string
  readonly keyId: string
}

/** Opens an account with a key, and with credit that no load uses up. */
export async function openCustomer({ administration }: Ledger): Promise<Customer> {
  const named = { name: 'load', actor: 'test' }
  const { accountId } = await administration.openAccount(named)
  await administration.grant(accountId, {
    amount: parseDollars('1000000'),
    category: 'paid',
    priority: 100,
    expiresAt: null,
    reference: null,
    reason: 'load',
    actor: 'test',
  })
  const { keyId } = await administration.createKey(accountId, named)
  return { accountId, keyId }
}
