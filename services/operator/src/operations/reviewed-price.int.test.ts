/** A price that is published after a review, while somebody else publishes another one. */
import { rootCaller } from '@svc/contracts/admin/caller'
import { openRunningService } from '@svc/testing/running-service'
import { expect, test } from 'vitest'

const rates = { input: '0.16', cached_input: '0.015', output: '0.60' }
const price = { model: 'svc-beta', ...rates, effective_from: null }

test('is published only beside the price that it was reviewed beside', async () => {
  const operations = (await openRunningService()).operationsOf(rootCaller)
  const first = await operations.publishPrice(price)
  const { replaces } = await operations.previewPrice(price)
  expect(replaces?.version).toBe(first.version)
  const between = await operations.publishPrice({ ...price, input: '0.2' })
  const before = await operations.listPrices()
  for (const reviewed of [first.version, null]) {
    const refused = operations.publishPrice({ ...price, replaces: reviewed, confirm: true })
    await expect(refused).rejects.toMatchObject({
      code: 'conflict',
      param: 'replaces',
      message: expect.stringContaining(between.version),
    })
  }
  expect(await operations.listPrices()).toEqual(before)
  const meant = { ...price, replaces: between.version, idempotency_key: 'once' }
  expect(await operations.publishPrice(meant)).toMatchObject({ created: true })
  // A repeat is no second question, although the price would replace itself by now.
  expect(await operations.publishPrice(meant)).toMatchObject({ created: false })
})

test('is published beside none where none was reviewed', async () => {
  const operations = (await openRunningService()).operationsOf(rootCaller)
  const own = { ...price, price_list: 'acme' }
  const { replaces } = await operations.previewPrice(own)
  const meant = { ...own, replaces: replaces?.version ?? null }
  expect(await operations.publishPrice(meant)).toMatchObject({ created: true })
  await expect(operations.publishPrice(meant)).rejects.toMatchObject({ param: 'replaces' })
})
