/** Refunds of which the account remembers no more than that there were some. */
import type { RecordedCharge } from '@svc/contracts/commands'
import type { RecordedCharges } from '@svc/contracts/recorded-charges'
import { ending, eventsOf, openFunded, openLedger, request } from '@svc/testing/ledger/open-ledger'
import { START_MS } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { REFUNDED_REQUESTS_MAX } from '../src/account/state.ts'

const COST = 50n

/** The charges of a log in which every request cost the same, from one grant. */
class KnownCharges implements RecordedCharges {
  readonly refunds = new Map<string, RecordedCharge['refunds']>()
  /** What happens between the next reading and what is made of it. */
  meanwhile: () => Promise<void> = async () => {}
  readonly #terms: Pick<RecordedCharge, 'slices' | 'version'>

  constructor(grantId: string, version: string) {
    this.#terms = { slices: [{ grantId, amount: COST }], version }
  }

  async find(_accountId: string, requestId: string): Promise<RecordedCharge> {
    const { meanwhile } = this
    const refunds = this.refunds.get(requestId) ?? []
    this.meanwhile = async () => {}
    await meanwhile()
    const counts = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 10 }
    return { ...this.#terms, amount: COST, debt: 0n, acceptedAt: START_MS, counts, refunds }
  }
}

test('a charge is given back once, however many others are while it is looked up', async () => {
  let known: RecordedCharges | undefined
  const charges: RecordedCharges = {
    find: async (...asked) => known?.find(...asked),
  }
  const setting = await openLedger({ charges })
  const { ledger, store } = setting
  const { administration } = ledger
  const { accountId, keyId } = await openFunded(setting, 10n ** 9n)
  const charged = async () => {
    const asked = request(setting, keyId)
    await (await ledger.accept(accountId, asked)).durable
    await ledger.settle(accountId, ending(asked.requestId))
    return asked.requestId
  }
  const [grant] = (await ledger.account(accountId)).grants
  const recorded = new KnownCharges(
    grant?.grantId ?? '',
    ledger.pricing.published()[0]?.version ?? '',
  )
  known = recorded
  const terms = { reason: 'a mistake', reference: null, actor: 'operator' }
  const refund = async (requestId: string) => {
    const asked = { ...terms, requestId, amount: null, idempotencyKey: 'once' }
    const { id: refundId, amount, created } = await administration.refund(accountId, asked)
    if (created) recorded.refunds.set(requestId, [{ refundId, amount }])
    return { amount, created }
  }

  const requestId = await charged()
  recorded.meanwhile = async () => {
    expect(await refund(requestId)).toEqual({ amount: COST, created: true })
    for (let at = 0; at < REFUNDED_REQUESTS_MAX; at += 1) await refund(await charged())
  }
  await expect(refund(requestId)).rejects.toMatchObject({
    code: 'view_behind',
    retryAfterSeconds: 1,
  })
  expect(await refund(requestId)).toEqual({ amount: COST, created: false })

  const events = await eventsOf(store, accountId)
  const given = events.filter(
    ({ type, data }) => type === 'CreditRefunded' && data.requestId === requestId,
  )
  expect(given).toHaveLength(1)
  expect((await ledger.balance(accountId)).settled).toBe(10n ** 9n)
})
