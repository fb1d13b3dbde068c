import { makeSecret } from '@svc/contracts/api-key'
import { newKey, openFunded, openLedger } from '@svc/testing/ledger/open-ledger'
import { sampleId } from '@svc/testing/ledger/sample'
import { describe, expect, test } from 'vitest'
import { WatchedStore } from '../testing/watched-store.ts'

describe('a secret', () => {
  test('names its account and key', async () => {
    const setting = await openLedger()
    const { secret, accountId, keyId } = await openFunded(setting, 0n)
    expect(await setting.ledger.authenticate(secret)).toEqual({ accountId, keyId })
    const restarted = await openLedger({ store: setting.store, time: setting.time })
    expect(await restarted.ledger.authenticate(secret)).toEqual({ accountId, keyId })
  })

  test('that is malformed, unknown, expired or revoked is refused, all alike', async () => {
    const setting = await openLedger()
    const { ledger, time } = setting
    const { secret, accountId, keyId } = await openFunded(setting, 0n)
    const key = await newKey(ledger, accountId, {
      name: 'short',
      expiresAt: time.nowMs() + 10,
      actor: 'operator',
    })
    await ledger.authenticate(key.secret)
    await time.advance(10)
    await ledger.administration.revokeKey(accountId, { keyId, reason: 'lost', actor: 'operator' })
    const bytes = Buffer.alloc(32, 7)
    const refusals = await Promise.all(
      [
        '',
        'sk-svc-nonsense',
        `${secret}x`,
        secret.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
        makeSecret(accountId, bytes),
        makeSecret(sampleId('acct', 404), bytes),
        key.secret,
        secret,
      ].map((text) => ledger.authenticate(text).catch((error: unknown) => error)),
    )
    expect(new Set(refusals.map(String)).size).toBe(1)
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ code: 'invalid_api_key', retryAfterSeconds: undefined })
    }
  })

  test('made by another process is known at once', async () => {
    const one = await openLedger()
    const { accountId } = await openFunded(one, 0n)
    const two = await openLedger({ store: one.store, time: one.time })
    await two.ledger.balance(accountId)
    const { secret, keyId } = await newKey(one.ledger, accountId, {
      name: 'new',
      actor: 'x',
    })
    expect(await two.ledger.authenticate(secret)).toEqual({ accountId, keyId })
  })

  test('that memory knows is not looked up again', async () => {
    const store = new WatchedStore()
    const setting = await openLedger({ store })
    const { secret } = await openFunded(setting, 0n)
    const before = store.reads.length
    await setting.ledger.authenticate(secret)
    expect(store.reads.length).toBe(before)
  })
})

describe('accounts in memory', () => {
  test('are bounded: the one used least recently makes room, and comes back as it was', async () => {
    const setting = await openLedger({ limits: { accountsInMemory: 2 } })
    const { ledger, snapshots } = setting
    const first = await openFunded(setting, 11n)
    const second = await openFunded(setting, 22n)
    const third = await openFunded(setting, 33n)
    expect(snapshots.load(`account-${first.accountId}`)).toBeDefined()
    expect(snapshots.load(`account-${third.accountId}`)).toBeUndefined()
    for (const [{ accountId }, settled] of [
      [first, 11n],
      [second, 22n],
      [third, 33n],
    ] as const) {
      expect(await ledger.balance(accountId)).toMatchObject({ settled })
    }
  })

  test('that do not exist take no room', async () => {
    const store = new WatchedStore()
    const setting = await openLedger({ store, limits: { accountsInMemory: 2 } })
    const { ledger, time } = setting
    const { accountId } = await openFunded(setting, 11n)
    for (let guess = 0; guess < 10; guess += 1) {
      await expect(ledger.balance(sampleId('acct', 500 + guess))).rejects.toMatchObject({
        code: 'not_found',
      })
      await time.quiet()
    }
    const loads = store.reads.filter((read) => read.stream === `account-${accountId}`)
    await ledger.authenticate('sk-svc-nonsense').catch(() => {})
    expect(await ledger.idempotent(accountId, 'k')).toBeUndefined()
    expect(store.reads.filter((read) => read.stream === `account-${accountId}`)).toEqual(loads)
  })
})
