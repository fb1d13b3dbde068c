/** What an account was debited, as its own pages tell it. */
import { setTimeout as delay } from 'node:timers/promises'
import { type PicoDollars, parseDollars } from '@svc/contracts/money'
import { balanceAnswer } from '@svc/contracts/wire/billing'
import { usageAnswer } from '@svc/contracts/wire/usage'
import { request } from 'undici'
import { SEEDED_CREDIT, type SeededAccount } from './seed-log.ts'

const WAIT_MS = 100
const WAITS_MAX = 600

interface Books {
  readonly settled: PicoDollars
  /** Requests that were ever charged. */
  readonly requests: number
}

/** The sums over all of them. */
export async function booksOfAll(
  baseUrl: string,
  accounts: readonly SeededAccount[],
): Promise<Books> {
  const sum = { settled: 0n, requests: 0 }
  for (const account of accounts) {
    const { settled, requests } = await booksOf(baseUrl, account)
    sum.settled += settled
    sum.requests += requests
  }
  return sum
}

/**
 * Waits until the view of usage has all that the ledger has. To be asked while nothing runs.
 *
 * @throws Error when credit is held for nobody, or usage and balance never come to the same
 */
async function booksOf(baseUrl: string, { apiKey }: SeededAccount): Promise<Books> {
  const answerOf = async (path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${apiKey}` }
    return (await request(baseUrl + path, { headers })).body.json()
  }
  const balance = balanceAnswer.parse(await answerOf('/balance'))
  if (parseDollars(balance.held) !== 0n) throw new Error(`${balance.held} are held for nobody`)
  const settled = parseDollars(balance.settled)
  const spent = SEEDED_CREDIT - settled
  for (let wait = 0; wait < WAITS_MAX; wait += 1) {
    const { total } = usageAnswer.parse(await answerOf('/usage'))
    if (parseDollars(total.amount) === spent) return { settled, requests: total.requests ?? 0 }
    await delay(WAIT_MS)
  }
  throw new Error(`the usage never showed the ${spent} pico-dollars that were debited`)
}
