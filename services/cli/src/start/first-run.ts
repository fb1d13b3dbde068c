/**
 * What the first start makes, so that a newcomer has something to call: a price, an account, a key.
 */
import { parseDollars, parsePricePerMillion } from '@svc/contracts/money'
import { MODEL } from '@svc/contracts/wire/models'
import type { Ledger } from '@svc/ledger/ledger'
import type { DataFolder } from './data-folder.ts'

const ACTOR = 'first-run'
const DEMO_CREDIT = parseDollars('5.00')
const DEMO_RATES = {
  input: parsePricePerMillion('0.15'),
  cachedInput: parsePricePerMillion('0.015'),
  output: parsePricePerMillion('0.60'),
}

export interface DemoAccount {
  readonly accountId: string
  /** The secret, on the run that made it; no later run can show it. */
  readonly apiKey: string | undefined
}

/**
 * Makes what is missing, step by step, so that a first run that was killed half-way is finished by
 * the next: what is noted in the folder exists already, and the grant is recognised by its
 * reference.
 */
export async function prepareDemoAccount(ledger: Ledger, folder: DataFolder): Promise<DemoAccount> {
  if (ledger.currentPrice(MODEL) === null && ledger.prices().length === 0) {
    await ledger.publishPrice({ model: MODEL, rates: DEMO_RATES })
  }
  const done = folder.readFirstRun()
  if (done?.keyId !== undefined) return { accountId: done.accountId, apiKey: undefined }

  const accountId = done?.accountId ?? (await ledger.openAccount({ name: 'demo', actor: ACTOR }))
  folder.writeFirstRun({ accountId })
  await ledger.grant(accountId, {
    amount: DEMO_CREDIT,
    category: 'promotional',
    priority: 100,
    expiresAt: null,
    reference: 'first-run',
    reason: 'credit to try the service with',
    actor: ACTOR,
  })
  const { keyId, secret } = await ledger.createKey(accountId, { name: 'demo', actor: ACTOR })
  folder.writeFirstRun({ accountId, keyId })
  return { accountId, apiKey: secret }
}
