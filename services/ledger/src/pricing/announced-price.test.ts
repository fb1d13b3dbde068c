import { MODEL, openFunded, openLedger, rates, request } from '@svc/testing/ledger/open-ledger'
import { expect, test } from 'vitest'

test('a first price that begins later sells nothing before, and a refusal says when', async () => {
  const setting = await openLedger({ isPriced: false })
  const { ledger, time } = setting
  const effectiveFrom = time.nowMs() + 120_000
  await ledger.pricing.publish({ model: MODEL, rates, effectiveFrom })
  const { accountId, keyId } = await openFunded(setting, 10n ** 12n)
  await expect(ledger.accept(accountId, request(setting, keyId))).rejects.toMatchObject({
    code: 'model_not_priced',
    message: expect.stringContaining(`before ${new Date(effectiveFrom).toISOString()}.`),
  })
  await time.advance(120_000)
  expect(await ledger.accept(accountId, request(setting, keyId))).toMatchObject({ price: rates })
})
