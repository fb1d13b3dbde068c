import { ServiceError } from '@svc/contracts/errors'
import { CountedWarnings } from '@svc/infra/system/counted-warnings'
import type { Settled } from '@svc/ledger/ledger'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { type SettlePorts, settleRun } from './settle.ts'

const settled: Settled = { amount: 5n, lines: [], slices: [], balanceAfter: 7n }
const failing =
  (code: 'store_unavailable' | 'server_is_overloaded' | 'conflict' | 'account_damaged') => () =>
    Promise.reject(new ServiceError(code, 'not now'))
const ALLOWED_MS = 60_000

/** Time that passes as soon as somebody waits for it. */
class HurriedTime {
  #nowMs = 1_000
  nowMs(): number {
    return this.#nowMs
  }
  after(delayMs: number, run: () => void): () => void {
    this.#nowMs += delayMs
    queueMicrotask(run)
    return () => {}
  }
}

function booking(...answers: (() => Promise<Settled>)[]) {
  const time = new HurriedTime()
  const log: string[] = []
  let told = 0
  const next = () => (answers[Math.min(told++, answers.length - 1)] ?? answers[0])?.()
  const ledger = { settle: next, fail: next } as unknown as SettlePorts['ledger']
  const logger = pino({ level: 'warn' }, { write: (line: string) => void log.push(line) })
  const warnings = new CountedWarnings({ logger, timer: time })
  const book = (kind: 'settle' | 'fail' = 'settle') =>
    settleRun(
      { ledger, steadyClock: time, timer: time, logger, warnings },
      {
        accountId: 'acct_1',
        requestId: 'req_1',
        cost: { kind, reason: 'broke' } as Parameters<typeof settleRun>[1]['cost'],
        deadline: time.nowMs() + ALLOWED_MS,
      },
    )
  return { time, log, book, told: () => told }
}

describe('the settlement of a run', () => {
  test('is sent once when it is acknowledged', async () => {
    const { book, told, log } = booking(() => Promise.resolve(settled))
    expect(await book()).toEqual(settled)
    expect([told(), log]).toEqual([1, []])
  })

  test.each(['settle', 'fail'] as const)('is retried while the store is away: %s', async (kind) => {
    const away = failing('store_unavailable')
    const { book, told, log } = booking(away, failing('server_is_overloaded'), away, () =>
      Promise.resolve(settled),
    )
    expect(await book(kind)).toEqual(kind === 'settle' ? settled : undefined)
    expect(told()).toBe(4)
    expect(log.length).toBe(1)
    expect(log[0]).not.toContain('stack')
  })

  test('is given up at the deadline, with a word on where the truth is', async () => {
    const { time, book, told } = booking(failing('store_unavailable'))
    const start = time.nowMs()
    await expect(book()).rejects.toMatchObject({
      code: 'store_unavailable',
      requestId: 'req_1',
      message: expect.stringContaining('/v1/requests/req_1'),
    })
    expect(time.nowMs() - start).toBeGreaterThan(ALLOWED_MS - 2_000)
    // A later try could meet the sweeper, which has failed the request by then.
    expect(time.nowMs() - start).toBeLessThanOrEqual(ALLOWED_MS)
    expect(told()).toBeGreaterThan(50)
  })

  test('that came too late is not retried, and its error says that nothing was charged', async () => {
    const { book, told, log } = booking(failing('conflict'))
    await expect(book()).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('Nothing was charged'),
    })
    expect([told(), log.length]).toEqual([1, 1])
    expect(log[0]).toContain('request was given up before its settlement, nothing charged')
  })

  test('of an account that is found damaged behind a try that nobody confirmed names the receipt', async () => {
    const { book } = booking(failing('store_unavailable'), failing('account_damaged'))
    await expect(book()).rejects.toMatchObject({
      code: 'account_damaged',
      message: expect.stringContaining('/v1/requests/req_1'),
    })
  })

  test('of an account that is known to be damaged is refused as the ledger refuses it', async () => {
    const { book, told } = booking(failing('account_damaged'))
    await expect(book()).rejects.toMatchObject({ code: 'account_damaged', message: 'not now' })
    expect(told()).toBe(1)
  })

  test('fails at once by a defect', async () => {
    const { book, told } = booking(() => Promise.reject(new TypeError('a defect')))
    await expect(book()).rejects.toThrow(TypeError)
    expect(told()).toBe(1)
  })
})
