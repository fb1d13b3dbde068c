/** A log with an account of very many requests beside very many accounts, filled once. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wireFormats } from '@svc/contracts/events/account'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { openSqliteTextStore } from '@svc/infra/text-store/sqlite/sqlite-text-store'
import { AccountHistory, requestId } from '@svc/testing/account-history'
import { ServerProcess } from '@svc/testing/server-process'

export const DAY_MS = 24 * 3_600_000
/** One for each turn: what was asked for once is not asked of the server again. */
export const DAYS = 40
const KEYS = 5
const REQUESTS_PER_WRITE = 150

/** What a folder was filled with; kept in it, for who measures it again on another day. */
export interface Filled {
  /** Works until somebody has used it. */
  readonly ownerLink: string
  readonly isEntered: boolean
  /** The id of the account with the many requests. */
  readonly large: string
  readonly requests: number
  readonly accounts: number
  /** The first of the days that have requests, in milliseconds since 1970. */
  readonly startMs: number
}

type Amounts = Pick<Filled, 'requests' | 'accounts'>

/** @throws when the folder was filled with other amounts */
export async function filledFolder(
  dataDir: string,
  amounts: Amounts,
  say: (line: string) => void,
): Promise<Filled> {
  const told = join(dataDir, 'bench.json')
  if (existsSync(told)) return kept(JSON.parse(readFileSync(told, 'utf8')), amounts)
  // It makes what a folder needs beside the log.
  const first = new ServerProcess(dataDir)
  const { pathname, hash } = new URL((await first.ready()).ownerLink ?? '')
  await first.stop()
  const startMs = (Math.floor(Date.now() / DAY_MS) - DAYS) * DAY_MS
  const large = await fill(dataDir, { ...amounts, startMs }, say)
  const filled = { ownerLink: pathname + hash, isEntered: false, large, ...amounts, startMs }
  writeFileSync(told, JSON.stringify({ ...filled, isEntered: true }))
  return filled
}

function kept(filled: Filled, { requests, accounts }: Amounts): Filled {
  if (filled.requests === requests && filled.accounts === accounts) return filled
  const has = `${filled.requests} requests and ${filled.accounts} accounts`
  throw new Error(`the folder has ${has}: ask for these, or for another folder`)
}

/** @returns the id of the account with the many requests */
async function fill(
  dataDir: string,
  { requests, accounts, startMs }: Amounts & Pick<Filled, 'startMs'>,
  say: (line: string) => void,
): Promise<string> {
  const onFatal = (error: unknown) => {
    throw error
  }
  const store = openSqliteEventStore(join(dataDir, 'ledger.db'), { onFatal })
  const texts = openSqliteTextStore(join(dataDir, 'texts.db'), { onFatal })
  for (let i = 0; i < accounts; i += 1) {
    const account = new AccountHistory(`account ${i}`)
    const name = await texts.keep(account.accountId, `Customer ${i} Ltd`)
    // Each has spent something lately: who did not would be left out early.
    const at = startMs + (DAYS - 1) * DAY_MS + i
    const id = requestId(at, account.accountId)
    const amount = BigInt(i + 1) * 10n ** 12n
    account
      .open(startMs + i, amount, name)
      .accept(id, at)
      .settle(id, at)
    await account.writeTo(store)
  }
  await texts.close()
  say(`${accounts} accounts in the log`)
  const large = new AccountHistory('large').open(startMs, 10n ** 18n)
  const keys = [large.keyId, ...Array.from({ length: KEYS - 1 }, (_, i) => large.key(`${i}`))]
  for (let i = 0; i < requests; i += 1) {
    const at = startMs + Math.floor((i / requests) * DAYS * DAY_MS)
    const id = requestId(at, large.accountId, `${i}`)
    const format = wireFormats[i % wireFormats.length] ?? 'chat'
    large.accept(id, at, { keyId: keys[i % KEYS] ?? large.keyId, format }).settle(id, at)
    if (i % REQUESTS_PER_WRITE === 0) await large.writeTo(store)
  }
  await large.writeTo(store)
  await store.close()
  say(`${requests} requests in the log`)
  return large.accountId
}
