/** When the prices of a list begin to count for an account that is put on it. */
import { rootCaller } from '@svc/contracts/admin/caller'
import { gatewayActor } from '@svc/contracts/events/actors'
import { openRunningService } from '@svc/testing/running-service'
import { expect, test } from 'vitest'
import type { WorkerFleet } from '../workers/worker-fleet.ts'

const rates = { model: 'svc-beta', input: '0.15', cached_input: '0.015', output: '0.60' }
const START = '2999-01-01T00:00:00.000Z'

const fleetOf = (toy: boolean) => {
  const worker = { workerId: 'worker-1', leaving: false, health: { modelName: 'm', toy } }
  return { fleet: { workers: [worker] } as unknown as WorkerFleet }
}

test.each([
  { served: 'a real model', more: fleetOf(false), starts_at: START },
  { served: 'the bundled model', more: fleetOf(true), starts_at: null },
  { served: 'nothing, because no server runs', more: {}, starts_at: null },
])('the demo price counts for the bundled model alone: $served', async ({ more, starts_at }) => {
  const { operationsOf } = await openRunningService(more)
  const demo = operationsOf({ ...rootCaller, actor: gatewayActor('1') })
  await demo.publishPrice({ ...rates, effective_from: null })
  const operations = operationsOf(rootCaller)
  await operations.publishPrice({ ...rates, effective_from: START })
  expect(await operations.listPrices()).toMatchObject([{ demo: true }, { demo: false }])
  const { account_id } = await operations.openAccount({ name: 'Ada', spend_policy: 'strict' })
  const set = await operations.setPriceList({ account_id, price_list: 'default' })
  expect(set).toMatchObject({ price_list: 'default', starts_at })
})
