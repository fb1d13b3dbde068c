import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import {
  ending,
  eventsOf,
  openFunded,
  openLedger,
  payment,
  request,
} from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'

describe('an account', () => {
  test('is summed up without its secrets', async () => {
    const setting = await openLedger()
    const { accountId, keyId } = await openFunded(setting, 100n)
    const summary = await setting.ledger.account(accountId)
    expect(await withTextsShown(setting.texts, summary)).toMatchObject({
      accountId,
      name: 'funded',
      spendPolicy: 'standard',
      keys: [{ keyId, name: 'key', revokedAt: null }],
      grants: [{ amount: 100n, remaining: 100n }],
      openRequests: 0,
    })
    expect(summary.keys[0]).not.toHaveProperty('secretHash')
  })

  test('that does not exist is not found, however its id looks', async () => {
    const { ledger } = await openLedger()
    for (const accountId of ['acct_00000000000000000000000000', 'acct_x', '', '../pricing']) {
      await expect(ledger.balance(accountId)).rejects.toMatchObject({ code: 'not_found' })
      const { administration } = ledger
      const asked = { name: 'other', reason: 'asked', actor: 'operator', idempotencyKey: 'once' }
      const changes = [
        () => administration.grant(accountId, payment(1n)),
        () => administration.grant(accountId, { ...payment(1n), reference: 'invoice-1' }),
        () => administration.createKey(accountId, { ...asked, externalId: 'theirs' }),
        () => administration.renameAccount(accountId, asked),
        () => administration.erase(accountId, asked),
      ]
      for (const change of changes) {
        await expect((async () => change())()).rejects.toMatchObject({ code: 'not_found' })
      }
    }
  })

  test('pitfall 19: knows the request of an Idempotency-Key', async () => {
    const setting = await openLedger()
    const { ledger } = setting
    const { accountId, keyId } = await openFunded(setting, 1_000n)
    const idempotency = { keyHash: 'k', bodyHash: 'b' }
    expect(await ledger.idempotent(accountId, 'k')).toBeUndefined()
    const asked = request(setting, keyId, { idempotency })
    await ledger.accept(accountId, asked)
    const known = { requestId: asked.requestId, bodyHash: 'b' }
    expect(await ledger.idempotent(accountId, 'k')).toEqual({ ...known, running: true })
    await ledger.settle(accountId, ending(asked.requestId))
    expect(await ledger.idempotent(accountId, 'k')).toEqual({ ...known, running: false })
    const again = ledger.accept(accountId, request(setting, keyId, { idempotency }))
    await expect(again).rejects.toMatchObject({
      code: 'idempotency_answer_gone',
      requestId: asked.requestId,
    })
  })

  test('pitfall 19: a key that another process freed is not in use', async () => {
    const one = await openLedger()
    const two = await openLedger({ store: one.store, time: one.time })
    const { accountId, keyId } = await openFunded(one, 1_000n)
    const idempotency = { keyHash: 'k', bodyHash: 'b' }
    const asked = request(one, keyId, { idempotency })
    await (await one.ledger.accept(accountId, asked)).durable
    expect(await two.ledger.idempotent(accountId, 'k')).toMatchObject({ running: true })
    await one.ledger.fail(accountId, asked.requestId, 'broke')
    expect(await two.ledger.idempotent(accountId, 'k')).toBeUndefined()
  })

  test('knows its last position also when it was only read', async () => {
    const one = await openLedger()
    const { accountId, secret } = await openFunded(one, 1_000n)
    const position = one.ledger.lastPosition(accountId)
    expect(position).toBe(await one.store.lastPosition())
    const two = await openLedger({ store: one.store, time: one.time })
    expect(two.ledger.lastPosition(accountId)).toBeUndefined()
    await two.ledger.authenticate(secret)
    expect(two.ledger.lastPosition(accountId)).toBe(position)
    await one.ledger.close()
    const three = await openLedger({ store: one.store, snapshots: one.snapshots, time: one.time })
    await three.ledger.authenticate(secret)
    expect(three.ledger.lastPosition(accountId)).toBe(position)
  })

  test('is closed with everything durable, and then takes nothing', async () => {
    const setting = await openLedger()
    const { ledger, store, snapshots } = setting
    const { accountId, keyId } = await openFunded(setting, 1_000n)
    const accepted = await ledger.accept(accountId, request(setting, keyId))
    await ledger.close()
    await accepted.durable
    expect(await eventsOf(store, accountId)).toHaveLength(4)
    expect(snapshots.load(`account-${accountId}`)).toMatchObject({ head: { revision: 3 } })
    await expect(ledger.balance(accountId)).rejects.toMatchObject({ code: 'shutting_down' })
    const late = ledger.accept(accountId, request(setting, keyId))
    await expect(late).rejects.toMatchObject({ code: 'shutting_down' })
  })
})
