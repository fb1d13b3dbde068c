import { describe, expect, test } from 'vitest'
import { ending, openFunded, openLedger, payment, request } from '../testing/open-ledger.ts'

/** 70 of credit: the first request holds 50, the second is under-held with 20, the rest waits. */
async function openBusy(limits: object = {}) {
  const setting = await openLedger({ limits })
  const { accountId, keyId } = await openFunded(setting, 70n)
  const accept = (signal?: AbortSignal) => {
    const asked = request(setting, keyId)
    const answer = setting.ledger.accept(accountId, asked, signal)
    answer.catch(() => {})
    return { requestId: asked.requestId, answer }
  }
  const full = accept()
  const underHeld = accept()
  await (await underHeld.answer).durable
  return { ...setting, accountId, accept, full, underHeld }
}

describe('a request that waits for an under-held one', () => {
  test('is let in when that one has ended, with what is available then', async () => {
    const { ledger, time, accountId, accept, full, underHeld } = await openBusy()
    const waiting = accept()
    await time.quiet()
    expect(ledger.isRunning(waiting.requestId)).toBe(false)
    await ledger.settle(accountId, ending(full.requestId, { outputTokens: 5 }))
    await time.quiet()
    expect(ledger.isRunning(waiting.requestId)).toBe(false)
    await ledger.fail(accountId, underHeld.requestId, 'broke')
    expect(await waiting.answer).toMatchObject({ hold: 35n })
  })

  test('is let in when credit comes', async () => {
    const { ledger, accountId, accept } = await openBusy()
    const waiting = accept()
    await ledger.grant(accountId, payment(100n))
    expect(await waiting.answer).toMatchObject({ hold: 50n })
  })

  test('is refused with Retry-After when that takes too long', async () => {
    const { time, accept } = await openBusy({ waitMs: 10_000 })
    const waiting = accept()
    let refusal: unknown
    waiting.answer.catch((error: unknown) => {
      refusal = error
    })
    await time.advance(9_999)
    expect(refusal).toBeUndefined()
    await time.advance(1)
    expect(refusal).toMatchObject({ code: 'balance_in_use', retryAfterSeconds: 5 })
  })

  test('waits for as long from the start, however often it is decided again', async () => {
    const { ledger, time, accountId, accept, full } = await openBusy({ waitMs: 10_000 })
    const waiting = accept()
    await time.advance(6_000)
    await ledger.fail(accountId, full.requestId, 'broke')
    const larger = accept()
    await ledger.grant(accountId, payment(1n))
    await expect(time.until(waiting.answer)).resolves.toMatchObject({ hold: 50n })
    await expect(time.until(larger.answer)).rejects.toMatchObject({ code: 'balance_in_use' })
  })

  test('leaves when its caller does', async () => {
    const { ledger, accountId, accept, underHeld, full } = await openBusy()
    const gone = new AbortController()
    const waiting = accept(gone.signal)
    const next = accept()
    await ledger.balance(accountId)
    gone.abort(new Error('client gone'))
    await expect(waiting.answer).rejects.toThrow('client gone')
    await ledger.fail(accountId, underHeld.requestId, 'broke')
    await ledger.fail(accountId, full.requestId, 'broke')
    expect(await next.answer).toMatchObject({ hold: expect.anything() })
    expect(ledger.isRunning(waiting.requestId)).toBe(false)
  })

  test('is refused at once when too many wait', async () => {
    const { accept } = await openBusy({ waitersPerAccount: 2 })
    const waiting = [accept(), accept()]
    await expect(accept().answer).rejects.toMatchObject({ code: 'balance_in_use' })
    expect(waiting).toHaveLength(2)
  })

  test('is refused when the ledger closes', async () => {
    const { ledger, accept, time } = await openBusy()
    const waiting = accept()
    await time.quiet()
    await ledger.close()
    await expect(waiting.answer).rejects.toMatchObject({ code: 'shutting_down' })
  })

  test('does not start to wait when the ledger is closing', async () => {
    const { ledger, accept } = await openBusy()
    const late = accept()
    await ledger.close()
    await expect(late.answer).rejects.toMatchObject({ code: 'balance_in_use' })
  })

  test('and was told to go ahead before another process took the credit: durable rejects', async () => {
    const one = await openLedger()
    const { accountId, keyId } = await openFunded(one, 40n)
    const two = await openLedger({ store: one.store, time: one.time })
    await two.ledger.balance(accountId)
    await (await one.ledger.accept(accountId, request(one, keyId))).durable
    const accepted = await two.ledger.accept(accountId, request(two, keyId))
    const before = one.time.nowMs()
    await expect(accepted.durable).rejects.toMatchObject({ code: 'balance_in_use' })
    expect(one.time.nowMs()).toBe(before)
  })
})
