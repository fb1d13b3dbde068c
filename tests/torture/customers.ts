import type { Operations } from '@svc/contracts/admin/operations'
import { secretOf } from '@svc/testing/made-key'
import type { Customer } from './load.ts'

/** One that is rich, one that may not go below zero and will run dry, one that runs dry and may. */
export async function openCustomers(operations: Operations): Promise<Customer[]> {
  const open = async (name: string, spendPolicy: 'standard' | 'strict', amount: string) => {
    const { account_id: accountId } = await operations.openAccount({
      name,
      spend_policy: spendPolicy,
    })
    await operations.grant({
      account_id: accountId,
      amount,
      category: 'paid',
      priority: 0,
      expires_at: null,
      reference: name,
      reason: 'torture',
    })
    const key = await operations.createKey({ account_id: accountId, name, expires_at: null })
    return { accountId, apiKey: secretOf(key) }
  }
  return [
    await open('rich', 'standard', '100'),
    await open('strict', 'strict', '0.0004'),
    await open('poor', 'standard', '0.0003'),
  ]
}
