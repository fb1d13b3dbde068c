import { expect, test } from 'vitest'
import { unpricedModels } from './unpriced-models.ts'

const line = { status: 'ready', restarts: 0, problem: null }
const toy = { ...line, worker_id: 'worker-1', model_name: 'svc-demo', toy: true }
const real = { ...line, worker_id: 'worker-2', model_name: 'qwen', toy: false }
const unreachable = { ...line, worker_id: 'worker-3', model_name: '', toy: false }

test('a model is unpriced when no price counts for it; workers unheard are left out', () => {
  const price = { version: 'price_1', input: 1n, cachedInput: 1n, output: 1n, model: 'svc-beta' }
  const when = { effectiveFrom: 0, publishedAt: 0, withdrawnAt: null }
  const published = { ...price, ...when, priceList: 'default', isDemo: true }
  const demoOnly = {
    current: (_: string, onBundled?: boolean) => (onBundled ? published : null),
    next: () => null,
  }
  const nothing = { current: () => null, next: () => ({ ...published, effectiveFrom: 7 }) }
  const workers = [toy, real, { ...real, worker_id: 'worker-4' }, unreachable]
  expect(unpricedModels(demoOnly, workers)).toEqual({ names: ['qwen'], pricedFrom: null })
  expect(unpricedModels(nothing, workers)).toEqual({ names: ['svc-demo', 'qwen'], pricedFrom: 7 })
  const all = { ...nothing, current: () => published }
  expect(unpricedModels(all, workers)).toEqual({ names: [], pricedFrom: null })
})
