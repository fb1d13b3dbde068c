/** The books of a server, on disk: a key that was debited is never run again, however old it is. */
import { randomUUID } from 'node:crypto'
import { noCrashPoints } from '@svc/contracts/crash-points'
import { MODEL } from '@svc/contracts/wire/models'
import { payment } from '@svc/testing/ledger/open-ledger'
import { temporaryFolder } from '@svc/testing/temporary-folder'

import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { rates } from '../../testing/gateway-ledger.ts'
import { DataFolder } from '../data-folder/data-folder.ts'
import { openCore } from './core.ts'

/** More than an account remembers: the log is asked for a key that is older than these. */
const NEWER_KEYS = Number(process.env.SVC_NEWER_KEYS ?? 1_200)
const AT_ONCE = 400

async function open(path: string) {
  const core = await openCore({
    folder: new DataFolder(path),
    place: { kind: 'sqlite' },
    reach: noCrashPoints,
    logger: pino({ level: 'silent' }),
    onFatal: (error) => {
      throw error
    },
  })
  onTestFinished(async () => void (await core.close()))
  return core
}

const meter = {
  inputTokens: 1,
  cachedInputTokens: 0,
  outputTokens: 1,
  reasoningTokens: 0,
  workerId: 'wrk',
  cache: {
    schedule: 'any-token',
    reusedTokens: 0,
    blocks: 0,
    source: 'none',
    lastBlockHash: null,
    evaluatedTokens: 1,
  },
  latencies: { queueMs: 0, prefillMs: 0, firstTokenMs: 0, totalMs: 0 },
} as const
const end = { meter, finishReason: 'stop', rule: 'metered', failure: null } as const

test(`a retry after ${NEWER_KEYS} newer keys, and a restart, is not run again`, {
  timeout: 120_000,
}, async () => {
  const path = temporaryFolder()
  const { ledger, close } = await open(path)
  await ledger.pricing.publish({ model: MODEL, rates })
  const { accountId } = await ledger.administration.openAccount({ name: 'Ada', actor: 'test' })
  const { keyId } = await ledger.administration.createKey(accountId, { name: 'key', actor: 'test' })
  await ledger.administration.grant(accountId, payment(10n ** 12n))
  const asked = (keyHash: string, bodyHash = 'b') => ({
    requestId: ledger.newRequestId(),
    keyId,
    format: 'chat' as const,
    model: MODEL,
    promptTokens: 1,
    maxOutputTokens: 1,
    idempotency: { keyHash, bodyHash },
    endsWithinMs: 600_000,
  })
  const accept = async (keyHash: string) => {
    const request = asked(keyHash)
    await (await ledger.accept(accountId, request)).durable
    return request.requestId
  }
  const run = async (keyHash: string) => {
    const requestId = await accept(keyHash)
    await ledger.settle(accountId, { requestId, ...end })
    return requestId
  }
  const debited = await run('debited')
  await ledger.fail(accountId, await accept('freed'), 'broke')
  await ledger.fail(accountId, await accept('freed, then debited'), 'broke')
  const second = await run('freed, then debited')
  const running = await accept('running')
  for (let done = 0; done < NEWER_KEYS; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => run(randomUUID())))
  }
  const { settled } = await ledger.balance(accountId)
  await close()

  const { ledger: later, usedKeys } = await open(path)
  const findInLog = vi.spyOn(usedKeys, 'find')
  const known = { bodyHash: 'b', running: false }
  expect(await later.idempotent(accountId, 'debited')).toEqual({ ...known, requestId: debited })
  expect(findInLog).toHaveBeenCalledWith(accountId, 'debited', expect.anything())
  expect(await later.idempotent(accountId, 'freed, then debited')).toEqual({
    ...known,
    requestId: second,
  })
  expect(await later.idempotent(accountId, 'running')).toEqual({
    requestId: running,
    bodyHash: 'b',
    running: true,
  })
  expect(await later.idempotent(accountId, 'freed')).toBeUndefined()
  expect(await later.idempotent(accountId, 'never used')).toBeUndefined()

  const refusals = [
    ['debited', 'b', 'idempotency_answer_gone'],
    ['debited', 'another body', 'idempotency_key_reused'],
    ['running', 'b', 'idempotency_key_in_use'],
  ] as const
  for (const [keyHash, bodyHash, code] of refusals) {
    const refused = later.accept(accountId, asked(keyHash, bodyHash))
    await expect(refused, code).rejects.toMatchObject({ code })
  }
  for (const keyHash of ['freed', 'never used']) {
    await (await later.accept(accountId, asked(keyHash))).durable
  }
  expect((await later.balance(accountId)).settled).toBe(settled)
})
