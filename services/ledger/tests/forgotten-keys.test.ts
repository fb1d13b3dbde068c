/** Idempotency-Keys of which the account remembers no more than that there were some. */

import type { UsedKey, UsedKeys } from '@svc/contracts/ports/used-keys'
import { ending, openFunded, openLedger, request } from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'
import { IDEMPOTENCY_KEYS_MAX } from '../src/account/state.ts'
import { keyUnknown } from '../src/writer/refusals.ts'

const keyed = (keyHash: string, bodyHash = 'b') => ({ idempotency: { keyHash, bodyHash } })

/** The log's index, with what a test puts into it. */
class KnownKeys implements UsedKeys {
  readonly keys = new Map<string, UsedKey>()
  isBehind = false
  /** What happens between the next search and what is made of it. */
  meanwhile: () => Promise<void> = async () => {}
  async find(_accountId: string, keyHash: string): Promise<UsedKey | undefined> {
    if (this.isBehind) throw keyUnknown()
    const found = this.keys.get(keyHash)
    const { meanwhile } = this
    this.meanwhile = async () => {}
    await meanwhile()
    return found
  }
}

/** An account that has used one key, and then more others than it remembers. */
async function openForgetful() {
  const usedKeys = new KnownKeys()
  const setting = await openLedger({ usedKeys })
  const { ledger } = setting
  const { accountId, keyId } = await openFunded(setting, 10n ** 9n)
  const run = async (keyHash: string) => {
    const asked = request(setting, keyId, keyed(keyHash))
    await ledger.accept(accountId, asked)
    await ledger.settle(accountId, ending(asked.requestId))
    return asked.requestId
  }
  const first = await run('first')
  usedKeys.keys.set('first', { requestId: first, bodyHash: 'b', isRunning: false })
  for (let at = 0; at < IDEMPOTENCY_KEYS_MAX; at += 1) await run(`other ${at}`)
  const accept = (keyHash: string, bodyHash?: string) =>
    ledger.accept(accountId, request(setting, keyId, keyed(keyHash, bodyHash)))
  return { ...setting, usedKeys, accountId, keyId, first, run, accept }
}

describe('a key that the account has forgotten', () => {
  test('is found in the log: its request is not run again', async () => {
    const { ledger, accountId, first, accept } = await openForgetful()
    const { settled } = await ledger.balance(accountId)
    expect(await ledger.idempotent(accountId, 'first')).toEqual({
      requestId: first,
      bodyHash: 'b',
      running: false,
    })
    await expect(accept('first')).rejects.toMatchObject({
      code: 'idempotency_answer_gone',
      requestId: first,
    })
    await expect(accept('first', 'another')).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    })
    expect(await ledger.balance(accountId)).toMatchObject({ settled, held: 0n })
  })

  test('is told from one that never was', async () => {
    const { ledger, accountId, accept } = await openForgetful()
    expect(await ledger.idempotent(accountId, 'new')).toBeUndefined()
    await expect((await accept('new')).durable).resolves.toBeUndefined()
  })

  test('is no key to run with while the log has not been looked through', async () => {
    const setting = await openForgetful()
    const { ledger, accountId, keyId, usedKeys, accept } = setting
    usedKeys.isBehind = true
    const behind = { code: 'view_behind', retryAfterSeconds: 1 }
    await expect(ledger.idempotent(accountId, 'first')).rejects.toMatchObject(behind)
    await expect(accept('first')).rejects.toMatchObject(behind)
    // Newer ones, and requests without a key, need no look.
    await expect(accept('other 5')).rejects.toMatchObject({ code: 'idempotency_answer_gone' })
    const keyless = await ledger.accept(accountId, request(setting, keyId))
    await expect(keyless.durable).resolves.toBeUndefined()
  })

  test('is not run again when it was used and forgotten since it was looked for', async () => {
    const { ledger, accountId, usedKeys, run, accept } = await openForgetful()
    let requestId = ''
    let settled = 0n
    usedKeys.meanwhile = async () => {
      requestId = await run('late')
      usedKeys.keys.set('late', { requestId, bodyHash: 'b', isRunning: false })
      for (let at = 0; at < IDEMPOTENCY_KEYS_MAX; at += 1) await run(`later ${at}`)
      settled = (await ledger.balance(accountId)).settled
    }
    const refusal: unknown = await accept('late').catch((error) => error)
    expect(refusal).toMatchObject({ code: 'idempotency_answer_gone', requestId })
    expect(await ledger.balance(accountId)).toMatchObject({ settled, held: 0n })
  })

  test('is not run by a gateway that has not read of it either', async () => {
    const one = await openLedger()
    const usedKeys = new KnownKeys()
    const two = await openLedger({ store: one.store, time: one.time, usedKeys })
    const { accountId, keyId } = await openFunded(one, 10n ** 9n)
    await two.ledger.balance(accountId)
    for (const keyHash of [
      'first',
      ...Array.from({ length: IDEMPOTENCY_KEYS_MAX }, (_, at) => `${at}`),
    ]) {
      const asked = request(one, keyId, keyed(keyHash))
      await one.ledger.accept(accountId, asked)
      await one.ledger.settle(accountId, ending(asked.requestId))
    }
    const accepting = two.ledger.accept(accountId, request(two, keyId, keyed('first')))
    const stale = await one.time.until(accepting)
    await expect(one.time.until(stale.durable)).rejects.toMatchObject({ code: 'view_behind' })
  })
})
