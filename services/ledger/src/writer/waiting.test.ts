import {
  ENDS_WITHIN_MS,
  ending,
  eventsOf,
  openFunded,
  openLedger,
  payment,
  request,
} from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'

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
    await ledger.administration.grant(accountId, payment(100n))
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
    await ledger.administration.grant(accountId, payment(1n))
    await expect(time.until(waiting.answer)).resolves.toMatchObject({ hold: 50n })
    await expect(time.until(larger.answer)).rejects.toMatchObject({ code: 'balance_in_use' })
  })

  test('has all of its time from its acceptance, however long it waited', async () => {
    const { ledger, store, time, accountId, accept, underHeld, full } = await openBusy()
    const waiting = accept()
    await time.advance(9_000)
    await ledger.fail(accountId, underHeld.requestId, 'broke')
    await ledger.fail(accountId, full.requestId, 'broke')
    const { deadline, durable } = await waiting.answer
    await durable
    expect(deadline).toBe(time.nowMs() + ENDS_WITHIN_MS)
    const recorded = (await eventsOf(store, accountId)).findLast(
      ({ type }) => type === 'RequestAccepted',
    )
    expect(recorded?.data).toMatchObject({ requestId: waiting.requestId, deadline })
    await time.advance(ENDS_WITHIN_MS)
    expect(ledger.isRunning(waiting.requestId)).toBe(true)
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

describe('a request that waits for what another process holds', () => {
  /** The first ledger holds all of the credit; a request of the second one waits for it. */
  async function openTwo() {
    const one = await openLedger()
    const { store, time } = one
    const { accountId, keyId } = await openFunded(one, 40n)
    const running = await one.ledger.accept(accountId, request(one, keyId))
    await running.durable
    const two = await openLedger({ store, time, limits: { lookAgainMs: 1_000 } })
    const waiting = two.ledger.accept(accountId, request(two, keyId))
    waiting.catch(() => {})
    await time.quiet()
    return { one, two, time, accountId, running, waiting }
  }

  test('is let in soon after the other one has ended its request', async () => {
    const { one, time, accountId, running, waiting } = await openTwo()
    await time.advance(2_500)
    await one.ledger.fail(accountId, running.requestId, 'broke')
    const endedAt = time.nowMs()
    await expect(time.until(waiting)).resolves.toMatchObject({ hold: 40n })
    expect(time.nowMs() - endedAt).toBeLessThanOrEqual(1_000)
  })

  test('is let in soon after the other one was given credit', async () => {
    const { one, time, accountId, waiting } = await openTwo()
    await one.ledger.administration.grant(accountId, payment(100n))
    const grantedAt = time.nowMs()
    await expect(time.until(waiting)).resolves.toMatchObject({ hold: 50n })
    expect(time.nowMs() - grantedAt).toBeLessThanOrEqual(1_000)
  })

  test('is refused after its time, however often it looked', async () => {
    const { time, waiting } = await openTwo()
    const before = time.nowMs()
    await expect(time.until(waiting)).rejects.toMatchObject({ code: 'balance_in_use' })
    expect(time.nowMs() - before).toBe(10_000)
  })

  test('leaves no timer behind when the ledgers close', async () => {
    const { one, two, time, waiting } = await openTwo()
    await Promise.all([one.ledger.close(), two.ledger.close()])
    await expect(waiting).rejects.toMatchObject({ code: 'shutting_down' })
    await time.quiet()
    expect(time.plannedCount).toBe(0)
  })
})

describe('the waiting line', () => {
  test('is served before what came with the credit that it waited for', async () => {
    const { ledger, accountId, accept, full, underHeld } = await openBusy()
    const waiting = accept()
    await ledger.balance(accountId)
    const freed = [full, underHeld].map(({ requestId }) =>
      ledger.fail(accountId, requestId, 'broke'),
    )
    const late = accept()
    await Promise.all(freed)
    expect(await waiting.answer).toMatchObject({ hold: 50n })
    expect(await late.answer).toMatchObject({ hold: 20n })
  })

  test('is served in the order in which it formed, also after many turns', async () => {
    const { ledger, accountId, accept, full, underHeld } = await openBusy()
    await ledger.fail(accountId, full.requestId, 'broke')
    const large = accept()
    const waiting = [accept(), accept(), accept()]
    const served: number[] = []
    for (const [index, { answer }] of waiting.entries()) void answer.then(() => served.push(index))
    await ledger.fail(accountId, underHeld.requestId, 'broke')
    for (const { requestId, answer } of [large, ...waiting]) {
      await (await answer).durable
      await ledger.settle(accountId, ending(requestId, { inputTokens: 1, outputTokens: 0 }))
    }
    expect(served).toEqual([0, 1, 2])
  })
})

describe('30 requests at once on credit for 70 answers', () => {
  test.each(['standard', 'strict'] as const)('%s serves all of them', async (policy) => {
    const setting = await openLedger()
    const { ledger, time, store } = setting
    // An answer costs 8; the worst case of a request is more than all of the credit.
    const { accountId, keyId } = await openFunded(setting, 70n * 8n, policy)
    const live = async () => {
      const asked = request(setting, keyId, { promptTokens: 1, maxOutputTokens: 4_096 })
      await (await ledger.accept(accountId, asked)).durable
      await new Promise<void>((resolve) => time.after(200, resolve))
      const spent = { inputTokens: 1, outputTokens: 2 }
      return ledger.settle(accountId, ending(asked.requestId, spent))
    }
    const settled = await time.until(Promise.all(Array.from({ length: 30 }, live)))
    expect(settled.map(({ amount }) => amount)).toEqual(Array.from({ length: 30 }, () => 8n))
    expect(await ledger.balance(accountId)).toMatchObject({ settled: 40n * 8n, held: 0n })
    if (policy === 'standard') return
    for (const { type, data } of await eventsOf(store, accountId)) {
      if (type === 'CreditDebited') expect(data.balanceAfter >= 0n).toBe(true)
      if (type === 'RequestAccepted') expect(data.maxOutputTokens).toBeGreaterThanOrEqual(50)
    }
  })
})
