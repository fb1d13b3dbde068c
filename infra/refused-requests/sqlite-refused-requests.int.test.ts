import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RefusedRequest, RefusedRequests } from '@svc/contracts/ports/refused-requests'
import { ManualTime } from '@svc/testing/manual-time'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openSqliteRefusedRequests, type RefusalBounds } from './sqlite-refused-requests.ts'

const DAY_MS = 24 * 3_600_000
const bounds: RefusalBounds = {
  perAccount: 5,
  inAll: 12,
  withoutAccount: 4,
  pendingPerRoom: 10,
  pendingInAll: 100,
}

let path: string
let time: ManualTime
beforeEach(() => {
  path = join(temporaryFolder(), 'refusals.db')
  time = new ManualTime()
})

function open(): RefusedRequests {
  const refused = openSqliteRefusedRequests(path, {
    clock: time,
    timer: time,
    bounds,
    onLost: (cause) => {
      throw cause
    },
  })
  onTestFinished(() => refused.close())
  return refused
}

function refusal(requestId: string, accountId: string | null): RefusedRequest {
  return {
    requestId,
    accountId,
    at: time.nowMs(),
    keyId: accountId === null ? null : 'key_1',
    format: 'chat',
    model: null,
    status: 429,
    code: 'rate_limit_exceeded',
    message: 'Too many.',
  }
}

/** Notes `count` refused requests, a batch for each. @returns their ids */
async function noted(refused: RefusedRequests, account: string | null, count: number) {
  const ids = Array.from({ length: count }, (_, n) => `req_${account}_${n}`)
  for (const id of ids) {
    refused.note(refusal(id, account))
    await time.advance(1_000)
  }
  return ids
}

const kept = (refused: RefusedRequests, ids: readonly string[]) =>
  ids.filter((id) => refused.find(id) !== undefined)

describe('a refused request', () => {
  test('is found at once, within a second in the file, and by the next process', async () => {
    const first = open()
    const request = refusal('req_1', 'acct_1')
    first.note(request)
    expect(first.find('req_1')).toEqual(request)
    await time.advance(1_000)
    expect(first.find('req_1')).toEqual(request)
    first.note(refusal('req_2', null))
    first.close()
    first.note(refusal('req_3', null))
    const second = open()
    expect(second.find('req_1')).toEqual(request)
    expect(kept(second, ['req_1', 'req_2', 'req_3'])).toEqual(['req_1', 'req_2'])
  })

  test('is forgotten after thirty days', async () => {
    const refused = open()
    const [old = ''] = await noted(refused, 'acct_1', 1)
    await time.advance(30 * DAY_MS - 2_000)
    expect(refused.find(old)).toBeDefined()
    await time.advance(2_000)
    expect(refused.find(old)).toBeUndefined()
    const [next = ''] = await noted(refused, 'acct_2', 1)
    expect(kept(refused, [old, next])).toEqual([next])
  })

  test('in a damaged file is lost, and the file made anew', async () => {
    const before = open()
    await noted(before, 'acct_1', 1)
    before.close()
    writeFileSync(path, 'nonsense '.repeat(1_000))
    const refused = open()
    expect(kept(refused, ['req_acct_1_0'])).toEqual([])
    expect(await noted(refused, 'acct_1', 1)).toEqual(kept(refused, ['req_acct_1_0']))
  })
})

describe('what is beyond a bound', () => {
  test('pushes out what is oldest of the same account', async () => {
    const refused = open()
    const ids = await noted(refused, 'acct_1', 8)
    expect(kept(refused, ids)).toEqual(ids.slice(-5))
  })

  test('of forged keys costs no account a line', async () => {
    const refused = open()
    const paying = await noted(refused, 'acct_1', 2)
    const forged = await noted(refused, null, 30)
    expect(kept(refused, forged)).toEqual(forged.slice(-4))
    expect(kept(refused, paying)).toEqual(paying)
  })

  test('in all is taken from the account that has most, also after a restart', async () => {
    const first = open()
    const quiet = await noted(first, 'acct_quiet', 2)
    const loud: string[] = []
    for (const account of ['acct_1', 'acct_2']) loud.push(...(await noted(first, account, 5)))
    first.close()
    const refused = open()
    const late = await noted(refused, 'acct_late', 3)
    expect(kept(refused, quiet)).toEqual(quiet)
    expect(kept(refused, late)).toEqual(late)
    expect(kept(refused, loud)).toHaveLength(12 - 2 - 3)
  })

  test('of one second is not kept, and takes no place from others', async () => {
    const refused = open()
    const flood = Array.from({ length: 50 }, (_, n) => `req_flood_${n}`)
    for (const id of flood) refused.note(refusal(id, null))
    refused.note(refusal('req_paying', 'acct_1'))
    await time.advance(1_000)
    expect(kept(refused, [...flood, 'req_paying'])).toHaveLength(5)
    expect(refused.find('req_paying')).toBeDefined()
  })
})
