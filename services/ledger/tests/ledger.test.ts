import {
  ending,
  eventsOf,
  MODEL,
  openFunded,
  openLedger,
  payment,
  rates,
  request,
} from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'

describe('the life of a request', () => {
  test('is accepted with a hold, then metered and debited in one append', async () => {
    const setting = await openLedger()
    const { ledger, store } = setting
    const { accountId, keyId, secret } = await openFunded(setting, 1_000n)
    expect(await ledger.authenticate(secret)).toEqual({ accountId, keyId })
    const asked = request(setting, keyId)

    const accepted = await ledger.accept(accountId, asked)
    expect(accepted).toMatchObject({ hold: 50n, maxOutputTokens: 10, lowered: false })
    await accepted.durable
    expect(ledger.isRunning(asked.requestId)).toBe(true)
    expect(await ledger.balance(accountId)).toMatchObject({
      settled: 1_000n,
      held: 50n,
      available: 950n,
    })

    const settled = await ledger.settle(accountId, ending(asked.requestId, { outputTokens: 4 }))
    expect(settled).toMatchObject({ amount: 32n, balanceAfter: 968n })
    expect(ledger.isRunning(asked.requestId)).toBe(false)
    expect(await ledger.balance(accountId)).toMatchObject({
      settled: 968n,
      held: 0n,
      available: 968n,
    })
    expect((await eventsOf(store, accountId)).map(({ type }) => type)).toEqual([
      'AccountOpened',
      'CreditGranted',
      'ApiKeyCreated',
      'RequestAccepted',
      'TokensMetered',
      'CreditDebited',
    ])
    expect(ledger.lastPosition(accountId)).toBe(await store.lastPosition())
  })

  test('strict says that it has lowered the output limit', async () => {
    const setting = await openLedger()
    const { accountId, keyId } = await openFunded(setting, 30n, 'strict')
    const accepted = await setting.ledger.accept(accountId, request(setting, keyId))
    expect(accepted).toMatchObject({ hold: 29n, maxOutputTokens: 3, lowered: true })
  })

  test('strict is billed for all that its worker was allowed, whatever others spent', async () => {
    const one = await openLedger()
    const two = await openLedger({ store: one.store, time: one.time, gatewayId: 'gw_two' })
    const { accountId, keyId } = await openFunded(one, 1_000n, 'strict')
    const before = await two.ledger.balance(accountId)
    const spent = request(one, keyId, { promptTokens: 485, maxOutputTokens: 0 })
    await (await one.ledger.accept(accountId, spent)).durable
    await one.ledger.settle(
      accountId,
      ending(spent.requestId, { inputTokens: 485, outputTokens: 0 }),
    )
    expect(before.available).toBe(1_000n)
    // 30 are left. The second knows of 1,000, and its worker begins with 300 tokens of output.
    const accepted = await two.ledger.accept(
      accountId,
      request(two, keyId, { maxOutputTokens: 300 }),
    )
    expect(accepted).toMatchObject({ maxOutputTokens: 300, lowered: false })
    const refused = two.time.until(accepted.durable)
    await expect(refused).rejects.toMatchObject({ code: 'balance_in_use' })
    expect(two.ledger.isRunning(accepted.requestId)).toBe(false)
    const again = await two.ledger.accept(accountId, request(two, keyId, { maxOutputTokens: 300 }))
    expect(again).toMatchObject({ maxOutputTokens: 3, lowered: true })
    await two.time.until(again.durable)
  })

  test('pitfall 4: fails without a charge; is abandoned once', async () => {
    const setting = await openLedger()
    const { ledger } = setting
    const { accountId, keyId } = await openFunded(setting, 1_000n)
    const [first, second] = [request(setting, keyId), request(setting, keyId)]
    for (const asked of [first, second]) await (await ledger.accept(accountId, asked)).durable
    await ledger.fail(accountId, first.requestId, 'worker_failed')
    expect(await ledger.abandon(accountId, first.requestId, 'gone')).toBe(false)
    expect(await ledger.abandon(accountId, second.requestId, 'gone')).toBe(true)
    expect(await ledger.abandon(accountId, second.requestId, 'gone')).toBe(false)
    expect(await ledger.balance(accountId)).toMatchObject({ settled: 1_000n, held: 0n })
    await expect(ledger.settle(accountId, ending(second.requestId))).rejects.toMatchObject({
      code: 'conflict',
    })
  })
})

describe('money', () => {
  test.each([
    ['strict', 500n, 0n],
    ['standard', 500n, 0n],
    ['standard', 520n, -30n],
  ] as const)(
    'pitfall 1: 200 at once on a %s balance of %s: never below %s',
    async (policy, credit, floor) => {
      const setting = await openLedger({ limits: { waitMs: 1 } })
      const { ledger, time, store } = setting
      const { accountId, keyId } = await openFunded(setting, credit, policy)
      const asked = Array.from({ length: 200 }, () => request(setting, keyId))
      const answers = await time.until(
        Promise.allSettled(asked.map((each) => ledger.accept(accountId, each))),
      )
      const accepted = answers.filter(({ status }) => status === 'fulfilled')
      expect(accepted).toHaveLength(floor === 0n ? 10 : 11)
      for (const answer of answers) {
        if (answer.status === 'rejected') {
          expect(['insufficient_quota', 'balance_in_use']).toContain(answer.reason.code)
        }
      }
      const running = asked.filter(({ requestId }) => ledger.isRunning(requestId))
      for (const { requestId } of running) await ledger.settle(accountId, ending(requestId))
      expect(await ledger.balance(accountId)).toMatchObject({
        settled: floor,
        held: 0n,
        available: floor,
      })
      for (const event of await eventsOf(store, accountId)) {
        if ('balanceAfter' in event.data) expect(event.data.balanceAfter >= floor).toBe(true)
      }
    },
  )

  test('pitfall 17: a price change in flight does not change the bill', async () => {
    const setting = await openLedger()
    const { ledger } = setting
    const { accountId, keyId } = await openFunded(setting, 1_000n)
    const before = request(setting, keyId)
    await (await ledger.accept(accountId, before)).durable
    await ledger.pricing.publish({ model: MODEL, rates: { ...rates, output: 30n } })
    const after = request(setting, keyId)
    expect(await ledger.accept(accountId, after)).toMatchObject({ hold: 320n })
    expect(await ledger.settle(accountId, ending(before.requestId))).toMatchObject({ amount: 50n })
    expect(await ledger.settle(accountId, ending(after.requestId))).toMatchObject({ amount: 320n })
  })

  test('pitfall 18: ten price changes later, a replay bills the past as it was billed', async () => {
    const setting = await openLedger()
    const { ledger, store, time } = setting
    const { accountId, keyId } = await openFunded(setting, 10_000n)
    const amounts: bigint[] = []
    for (let change = 0n; change < 10n; change += 1n) {
      await ledger.pricing.publish({ model: MODEL, rates: { ...rates, output: 3n + change } })
      const asked = request(setting, keyId)
      await (await ledger.accept(accountId, asked)).durable
      amounts.push((await ledger.settle(accountId, ending(asked.requestId))).amount)
    }
    expect(amounts).toEqual(Array.from({ length: 10 }, (_, change) => 50n + 10n * BigInt(change)))
    const replayed = await openLedger({ store, time })
    expect(await replayed.ledger.account(accountId)).toEqual(await ledger.account(accountId))
    const debits = (await eventsOf(store, accountId)).filter(({ type }) => type === 'CreditDebited')
    expect(debits.map(({ data }) => 'amount' in data && data.amount)).toEqual(amounts)
  })

  test('pitfall 20: 50 deliveries of one payment make one grant', async () => {
    const setting = await openLedger()
    const other = await openLedger({ ...setting, gatewayId: 'gw_other' })
    const { accountId } = await openFunded(setting, 0n)
    const ids = await setting.time.until(
      Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 === 0 ? setting : other).ledger.administration.grant(
            accountId,
            payment(100n, 'payment-7'),
          ),
        ),
      ),
    )
    expect(new Set(ids.map(({ grantId }) => grantId)).size).toBe(1)
    expect(await setting.ledger.balance(accountId)).toMatchObject({ settled: 100n })
    const changed = setting.ledger.administration.grant(accountId, payment(101n, 'payment-7'))
    await expect(changed).rejects.toMatchObject({ code: 'conflict' })
  })

  test('an idempotency key grants once, whatever the reference', async () => {
    const { ledger } = await openLedger()
    const { accountId } = await ledger.administration.openAccount({ name: 'a', actor: 'operator' })
    const grant = (reference: string | null, amount = 100n) => {
      const asked = { ...payment(amount, reference), idempotencyKey: 'topup-1' }
      return ledger.administration.grant(accountId, asked)
    }
    const { grantId } = await grant('INV-1')
    expect(await grant('INV-1')).toEqual({ grantId, created: false })
    for (const other of [grant('INV-2'), grant(null), grant('INV-1', 101n)]) {
      await expect(other).rejects.toMatchObject({ code: 'conflict' })
    }
    expect((await ledger.balance(accountId)).settled).toBe(100n)
    const { created } = await ledger.administration.grant(accountId, payment(5n, 'INV-2'))
    expect(created).toBe(true)
  })

  test('credit past its time is not paid out, in however many grants it is', async () => {
    const { ledger, time } = await openLedger()
    const { accountId } = await ledger.administration.openAccount({ name: 'a', actor: 'operator' })
    const expiresAt = time.nowMs() + 1_000
    const gift = { ...payment(1n), category: 'promotional' as const, expiresAt }
    for (let index = 0; index < 150; index += 1) await ledger.administration.grant(accountId, gift)
    await time.advance(2_000)
    const asked = { remainder: 'paid_out', reference: null, reason: 'r', actor: 'o' } as const
    expect((await ledger.administration.close(accountId, asked)).amount).toBe(0n)
  })

  test('strict keeps above zero what was begun below it', async () => {
    const setting = await openLedger()
    const { ledger } = setting
    const { accountId, keyId } = await openFunded(setting, 80n)
    const [full, under, third] = [0, 1, 2].map(() => request(setting, keyId))
    if (!full || !under || !third) throw new Error('three were asked for')
    await (await ledger.accept(accountId, full)).durable
    expect((await ledger.accept(accountId, under)).hold).toBe(30n)
    const strict = { spendPolicy: 'strict', reason: 'r', actor: 'o' } as const
    await ledger.administration.setSpendPolicy(accountId, strict)
    await ledger.fail(accountId, full.requestId, 'worker_failed')
    // 50 are free, of which the one that runs may need 20: the next waits for its end.
    const waiting = ledger.accept(accountId, third)
    await ledger.settle(accountId, ending(under.requestId))
    const accepted = await waiting
    expect(accepted).toMatchObject({ hold: 29n, maxOutputTokens: 3, lowered: true })
    await accepted.durable
    const tokens = { inputTokens: 10, outputTokens: 3 }
    const { balanceAfter } = await ledger.settle(accountId, ending(third.requestId, tokens))
    expect(balanceAfter).toBe(1n)
  })

  test('a price that is corrected by nothing in sum counts for later refunds', async () => {
    const setting = await openLedger()
    const { ledger, time } = setting
    const { accountId, keyId } = await openFunded(setting, 1_000n)
    const run = async (inputTokens: number, outputTokens: number) => {
      const tokens = { promptTokens: inputTokens, maxOutputTokens: outputTokens }
      const asked = request(setting, keyId, tokens)
      const { durable, price } = await ledger.accept(accountId, asked)
      await durable
      await ledger.settle(accountId, ending(asked.requestId, { inputTokens, outputTokens }))
      return { requestId: asked.requestId, version: price.version }
    }
    // 60 and 90 at 2, 1 and 3; at 1, 1 and 4 they are 30 and 120.
    const { requestId, version } = await run(30, 0)
    await run(0, 30)
    await time.advance(10)
    const price = { version, input: 1n, cachedInput: 1n, output: 4n }
    const correction = { runId: 'run_1', price, from: 0, to: time.nowMs() }
    const { correctionsMade } = await ledger.administration.correctionsOf(accountId)
    const terms = { reference: null, reason: 'r', actor: 'o' }
    const due = { paid: 0n, promotional: 0n }
    const asked = { ...terms, correction, due, correctionsSeen: correctionsMade }
    expect(await ledger.administration.correctPrice(accountId, asked)).toBe(true)
    const refund = { ...terms, requestId, amount: null }
    expect((await ledger.administration.refund(accountId, refund)).amount).toBe(30n)
  })

  test('only what was charged is refunded', async () => {
    const setting = await openLedger()
    const { ledger } = setting
    const { accountId, keyId } = await openFunded(setting, 1_000n)
    const { requestId, durable } = await ledger.accept(accountId, request(setting, keyId))
    await durable
    const terms = { requestId, amount: null, reference: null, reason: 'r', actor: 'o' }
    const uncharged = { code: 'conflict', message: expect.stringMatching(/was not charged/) }
    const running = ledger.administration.refund(accountId, terms)
    await expect(running).rejects.toMatchObject(uncharged)
    await ledger.fail(accountId, requestId, 'broke')
    const failed = ledger.administration.refund(accountId, terms)
    await expect(failed).rejects.toMatchObject(uncharged)
    const never = { ...terms, requestId: ledger.newRequestId() }
    const unknown = ledger.administration.refund(accountId, never)
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a request can have as many refunds as it says', async () => {
    const setting = await openLedger()
    const { ledger } = setting
    const { accountId, keyId } = await openFunded(setting, 1_000n)
    const asked = request(setting, keyId, { maxOutputTokens: 100 })
    await (await ledger.accept(accountId, asked)).durable
    await ledger.settle(accountId, ending(asked.requestId, { outputTokens: 100 }))
    const { requestId } = asked
    const part = { requestId, amount: 1n, reference: null, reason: 'r', actor: 'o' }
    for (let made = 0; made < 100; made += 1) await ledger.administration.refund(accountId, part)
    const more = ledger.administration.refund(accountId, part)
    await expect(more).rejects.toMatchObject({ code: 'conflict', message: /has 100 refunds/ })
  })

  test('a look at the balance takes no credit from a request that runs', async () => {
    const balanceAfter = async (isLookedAt: boolean) => {
      const setting = await openLedger()
      const { ledger, time } = setting
      const { accountId, keyId } = await openFunded(setting, 60n)
      const expiresAt = time.nowMs() + 10
      await ledger.administration.grant(accountId, {
        ...payment(50n),
        category: 'promotional',
        expiresAt,
      })
      const asked = request(setting, keyId)
      await (await ledger.accept(accountId, asked)).durable
      await time.advance(20)
      if (isLookedAt) await ledger.balance(accountId)
      return (await ledger.settle(accountId, ending(asked.requestId))).balanceAfter
    }
    expect([await balanceAfter(false), await balanceAfter(true)]).toEqual([60n, 60n])
  })

  test('what a request costs beyond its hold is not taken from credit past its time', async () => {
    const end = async (isLookedAt: boolean) => {
      const setting = await openLedger()
      const { ledger, time, store } = setting
      const { accountId, keyId } = await openFunded(setting, 30n)
      const asked = request(setting, keyId)
      const { hold, durable } = await ledger.accept(accountId, asked)
      await durable
      const expiresAt = time.nowMs() + 10
      const { grantId } = await ledger.administration.grant(accountId, {
        ...payment(40n),
        expiresAt,
      })
      await time.advance(20)
      if (isLookedAt) await ledger.balance(accountId)
      const { balanceAfter } = await ledger.settle(accountId, ending(asked.requestId))
      const expired = (await eventsOf(store, accountId)).filter(
        ({ type }) => type === 'CreditExpired',
      )
      return { hold, balanceAfter, expired: expired.map(({ data }) => data), grantId }
    }
    for (const isLookedAt of [false, true]) {
      const { hold, balanceAfter, expired, grantId } = await end(isLookedAt)
      expect({ hold, balanceAfter }).toEqual({ hold: 30n, balanceAfter: 10n })
      expect(expired).toMatchObject([{ grantId, amount: 10n, balanceAfter: 60n }])
    }
  })

  test('credit past its time is not shown as a balance, and is booked as expired', async () => {
    const setting = await openLedger()
    const { ledger, time, store } = setting
    const { accountId } = await openFunded(setting, 5n)
    await ledger.administration.grant(accountId, {
      ...payment(100n),
      expiresAt: time.nowMs() + 1_000,
    })
    expect(await ledger.balance(accountId)).toMatchObject({ settled: 105n })
    await time.advance(1_000)
    expect(await ledger.balance(accountId)).toMatchObject({ settled: 5n })
    expect((await eventsOf(store, accountId)).at(-1)).toMatchObject({ type: 'CreditExpired' })
  })
})
