/**
 * What the first start makes, so that a newcomer has something to call: a price, an account, a key.
 */
import { type RecordedEvent, START } from '@svc/contracts/event-store'
import { accountStream } from '@svc/contracts/events/account'
import { parseDollars, parsePricePerMillion } from '@svc/contracts/money'
import { MODEL } from '@svc/contracts/wire/models'
import type { Books } from './books.ts'
import type { DataFolder } from './data-folder.ts'

const ACTOR = 'first-run'
const DEMO_CREDIT = parseDollars('5.00')
const DEMO_RATES = {
  input: parsePricePerMillion('0.15'),
  cachedInput: parsePricePerMillion('0.015'),
  output: parsePricePerMillion('0.60'),
}

/** Events that the first run itself wrote are among the first of the log. */
const FIRST_EVENTS = 100

export interface DemoAccount {
  /** Undefined for a ledger that was restored and holds no account. */
  readonly accountId: string | undefined
  /** The secret, on the run that made it; no later run can show it. */
  readonly apiKey: string | undefined
}

/**
 * Makes what is missing, step by step, so that a first run that was killed half-way is finished by
 * the next. That a first run has begun is noted before anything is written to the ledger: a ledger
 * without that note was restored from a backup, and is given nothing.
 */
export async function prepareDemoAccount(
  { ledger, store }: Pick<Books, 'ledger' | 'store'>,
  folder: DataFolder,
): Promise<DemoAccount> {
  const done = folder.readFirstRun()
  if (done?.keyId !== undefined) return { accountId: done.accountId, apiKey: undefined }
  const written = await store.readAll({ after: START, limit: FIRST_EVENTS })
  const opened = firstAccountOf(written)
  if (done === undefined) {
    if (written.length > 0) return { accountId: opened, apiKey: undefined }
    folder.writeFirstRun({})
  }
  if (ledger.prices().length === 0) await ledger.publishPrice({ model: MODEL, rates: DEMO_RATES })
  const accountId = opened ?? (await ledger.openAccount({ name: 'demo', actor: ACTOR }))
  // Known by its reference: it is given once, however often it is asked for.
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

function firstAccountOf(events: readonly RecordedEvent[]): string | undefined {
  const opened = events.find(({ type }) => type === 'AccountOpened')
  return opened?.stream.slice(accountStream('').length)
}
