/** What Prometheus gets of a gateway that has answered, refused, failed and been left. */

import { errorCatalogue } from '@svc/contracts/errors'
import { noQuarantine } from '@svc/contracts/ports/quarantine'
import { healthyStore } from '@svc/contracts/ports/store-health'
import { startAdminServer } from '@svc/testing/admin-server'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { emptyTier, type Fault, freshState, plainScript } from '@svc/testing/scripted-worker'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Exposition } from '../../testing/exposition.ts'
import type { Backups } from '../operations/log/backups.ts'
import { metricCatalogue } from './catalogue.ts'
import { createMetrics, METRICS_CONTENT_TYPE, type MetricsSources } from './metrics.ts'

const NOW_MS = Date.UTC(2026, 10, 27)

let fixture: GatewayFixture

const view = { version: 1, head: 42n, events: 7, rebuild: null }
const projections: MetricsSources['projections'] = {
  lastStatus: () => [
    { ...view, name: 'accounts', state: 'live', position: 40n, error: null },
    { ...view, name: 'requests', state: 'failed', position: 7n, error: 'broken' },
  ],
  views: { accountTotals: () => ({ accounts: 3, openRequests: 2 }), holds: () => [] },
}

const sources: MetricsSources = {
  fleet: {
    get workers() {
      return fixture.pool.workers
    },
  },
  supervised: (workerId) => (workerId === 'wrk_0' ? { restarts: 5 } : undefined),
  projections,
  store: { lastPosition: async () => 42n },
  storeHealth: healthyStore,
  feed: undefined,
  quarantine: noQuarantine,
  clock: { nowMs: () => NOW_MS },
  isReady: async () => true,
  freeBytes: async () => 5_000,
  backups: { last: () => undefined },
  auditTrail: { lastVerification: async () => undefined },
}
let metrics: ReturnType<typeof createMetrics>

beforeEach(async () => {
  metrics = createMetrics(sources)
  fixture = await startGateway({ workers: 2, requestObserver: metrics.requests })
  // The pool has to know both workers before a test looks at them.
  await expect.poll(() => fixture.pool.workers.every(({ ready }) => ready)).toBe(true)
})
afterEach(() => fixture[Symbol.asyncDispose]())

const scrape = async () => new Exposition(await metrics.text())
const scrapeOf = async (changed: Partial<MetricsSources>) =>
  new Exposition(await createMetrics({ ...sources, ...changed }).text())
const play = (script: object) => {
  for (const worker of fixture.workers) worker.script = { ...plainScript, ...script }
}
/** The gauge falls when everything of a request is over. */
const settled = () =>
  expect.poll(async () => (await scrape()).value('svc_requests_open', { format: 'chat' })).toBe(0)

const ofProcess = /^(process|nodejs)_/

test('every metric of the catalogue is exposed, of its kind, and no other of ours', async () => {
  const { kinds } = await scrape()
  const catalogue = Object.entries(metricCatalogue).map(([name, { kind }]) => [name, kind])
  const ours = [...kinds].filter(([name]) => !ofProcess.test(name))
  expect(ours.toSorted()).toEqual(catalogue.toSorted())
})

test('the process tells its processor time, its memory and the lag of its event loop', async () => {
  const { kinds } = await scrape()
  expect([...kinds.keys()].filter((name) => ofProcess.test(name))).toEqual(
    expect.arrayContaining([
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_heap_size_used_bytes',
      'nodejs_gc_duration_seconds',
    ]),
  )
})

describe('requests', () => {
  const outcome = async (name: string) => {
    await settled()
    return (await scrape()).value('svc_requests_total', { format: 'chat', outcome: name })
  }

  test('that finish are counted with their tokens and times', async () => {
    play({ tokens: 5, cachedTokens: 1, prefillMs: 20 })
    const answers = [await fixture.post(chatBody()), await fixture.post(chatBody({ stream: true }))]
    for (const answer of answers) await answer.text()
    expect(await outcome('finished')).toBe(2)
    const figures = await scrape()
    const billed = (name: string) => figures.value('svc_billed_tokens_total', { class: name })
    expect([billed('input'), billed('cached_input'), billed('output')]).toEqual([4, 2, 10])
    const first = 'gen_ai_server_time_to_first_token_seconds'
    expect(figures.value(`${first}_count`, { format: 'chat' })).toBe(2)
    // Two prompts of 20 ms each, less what a timer may be early.
    expect(figures.value(`${first}_sum`, { format: 'chat' })).toBeGreaterThan(0.03)
    const duration = 'gen_ai_server_request_duration_seconds'
    expect(figures.value(`${duration}_count`, { format: 'chat' })).toBe(2)
    expect(figures.value(`${duration}_sum`, { format: 'chat' })).toBeGreaterThanOrEqual(
      figures.value(`${first}_sum`, { format: 'chat' }) ?? Number.NaN,
    )
  })

  test('can be told from none: all that counts them is there before the first one', async () => {
    const figures = await scrape()
    for (const format of ['chat', 'responses', 'messages']) {
      for (const code of Object.keys(errorCatalogue)) {
        expect(figures.value('svc_request_errors_total', { format, code }), code).toBe(0)
      }
    }
    for (const times of ['request_duration', 'time_to_first_token', 'time_per_output_token']) {
      const count = `gen_ai_server_${times}_seconds_count`
      const counts = figures.samples.filter(({ name }) => name === count)
      expect(counts.map(({ value }) => value)).toEqual([0, 0, 0])
    }
  })

  test.each([
    ['without a key', {}, { authorization: '' }, 'invalid_api_key'],
    ['that cannot be read', { messages: 5 }, {}, 'invalid_value'],
  ] as const)('%s are refused, by their code', async (_what, fields, headers, code) => {
    await fixture.post(chatBody(fields), headers)
    expect(await outcome('refused')).toBe(1)
    expect((await scrape()).value('svc_request_errors_total', { format: 'chat', code })).toBe(1)
  })

  test.each([false, true])('that break are failures, streamed %s', async (stream) => {
    const fault: Fault = { kind: 'error', afterTokens: 2, meter: true }
    play({ fault, tokens: 5 })
    await (await fixture.post(chatBody({ stream }))).text()
    expect(await outcome('failed')).toBe(1)
    expect(await outcome('finished')).toBe(0)
    const labels = { format: 'chat', code: 'worker_failed' }
    expect((await scrape()).value('svc_request_errors_total', labels)).toBe(1)
  })

  test('that are left are stopped', async () => {
    play({ tokens: 1_000, delayMs: 5 })
    const leave = new AbortController()
    const answer = fetch(`${fixture.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${fixture.ledger.secret}`,
      },
      body: JSON.stringify(chatBody()),
      signal: leave.signal,
    })
    await expect.poll(() => fixture.workers.some(({ running }) => running > 0)).toBe(true)
    expect((await scrape()).value('svc_requests_open', { format: 'chat' })).toBe(1)
    leave.abort()
    await expect(answer).rejects.toThrow()
    expect(await outcome('stopped')).toBe(1)
  })

  test('that are answered from the record are replays, and billed once', async () => {
    const again = () => fixture.post(chatBody(), { 'idempotency-key': 'k' })
    await (await again()).text()
    await (await again()).text()
    expect([await outcome('finished'), await outcome('replayed')]).toEqual([1, 1])
    expect((await scrape()).value('svc_billed_tokens_total', { class: 'output' })).toBe(8)
  })

  test('leave no id behind: labels are the same for whoever asks', async () => {
    const answer = await fixture.post(chatBody())
    await answer.text()
    const text = await metrics.text()
    expect(text).not.toContain(answer.headers.get('x-request-id') ?? 'none')
    expect(text).not.toContain(fixture.ledger.accountId)
    expect(text).not.toMatch(/\b(acct|req|key)_|sk-svc/)
  })
})

describe('workers', () => {
  test('tell their load, their batches and their cache', async () => {
    const tier = { ...emptyTier, blocks: 3, bytes: 300, bytesMax: 4_096, evictions: 1, corrupt: 2 }
    const cache = { ...freshState.cache, lookups: 9, hits: 6, reusedTokens: { l1: 256, l2: 128 } }
    fixture.worker.state = {
      ...freshState,
      queued: 4,
      totals: { inputTokens: 100, cachedInputTokens: 384, outputTokens: 50 },
      cache: { ...cache, l1: tier },
      batches: { prompt: 2, promptTokens: 100, decode: 10, decodeTokens: 35 },
      putAside: { total: 5, requests: 2, bytes: 4096 },
      meterMismatches: 1,
    }
    const figures = await scrape()
    const worker = 'wrk_0'
    expect(figures.value('svc_worker_up', { worker })).toBe(1)
    expect(figures.value('svc_worker_queued', { worker })).toBe(4)
    expect(figures.value('svc_worker_restarts_total', { worker })).toBe(5)
    expect(figures.value('svc_worker_tokens_total', { worker, class: 'cached_input' })).toBe(384)
    const phase = 'decode'
    expect(figures.value('svc_worker_batch_tokens_total', { worker, phase })).toBe(35)
    expect(figures.value('svc_worker_cache_hits_total', { worker })).toBe(6)
    const reused = 'svc_worker_cache_reused_tokens_total'
    expect(figures.value(reused, { worker, tier: 'l2' })).toBe(128)
    const evictions = 'svc_worker_cache_tier_evictions_total'
    expect(figures.value(evictions, { worker, tier: 'l1' })).toBe(1)
    expect(figures.value(evictions, { worker, tier: 'l2' })).toBeUndefined()
    expect(figures.value('svc_worker_put_asides_total', { worker })).toBe(5)
    expect(figures.value('svc_worker_put_aside', { worker })).toBe(2)
    expect(figures.value('svc_worker_put_aside_bytes', { worker })).toBe(4096)
    expect(figures.value('svc_worker_meter_mismatches_total', { worker })).toBe(1)
    expect(figures.value('svc_worker_info', { worker, cache: 'off', model: 'scripted' })).toBe(1)
    expect(figures.value('svc_worker_queued', { worker: 'wrk_1' })).toBe(0)
  })

  test('name their GPU', async () => {
    fixture.worker.gpu = 'NVIDIA H200'
    const labels = { worker: 'wrk_0', device: 'cuda', gpu: 'NVIDIA H200' }
    const information = async () => (await scrape()).value('svc_worker_info', labels)
    await expect.poll(information).toBe(1)
  })

  test('that say nothing are down, and hold nobody up for long', async () => {
    fixture.worker.state = 'silent'
    const figures = await scrape()
    expect(figures.value('svc_worker_up', { worker: 'wrk_0' })).toBe(0)
    expect(figures.value('svc_worker_queued', { worker: 'wrk_0' })).toBeUndefined()
    expect(figures.value('svc_worker_up', { worker: 'wrk_1' })).toBe(1)
  }, 15_000)

  test('that are gone are down and not ready', async () => {
    await fixture.worker.close()
    await expect
      .poll(async () => (await scrape()).value('svc_worker_ready', { worker: 'wrk_0' }))
      .toBe(0)
    expect((await scrape()).value('svc_worker_up', { worker: 'wrk_0' })).toBe(0)
  })
})

describe('the server', () => {
  test.each([true, false])('says whether it is ready: %s', async (ready) => {
    const figures = await scrapeOf({ isReady: async () => ready })
    expect(figures.value('svc_ready')).toBe(ready ? 1 : 0)
  })

  test('tells what is free on its disk, and nothing when the disk does not say', async () => {
    expect((await scrape()).value('svc_data_folder_free_bytes')).toBe(5_000)
    const figures = await scrapeOf({ freeBytes: () => Promise.reject(new Error('gone')) })
    expect(figures.value('svc_data_folder_free_bytes')).toBeUndefined()
    expect(figures.value('svc_ready')).toBe(1)
  })
})

describe('the event log', () => {
  test('is healthy while it answers, and tells where it ends', async () => {
    const figures = await scrape()
    expect(figures.value('svc_event_log_healthy')).toBe(1)
    expect(figures.value('svc_event_log_position')).toBe(42)
  })

  test('that does not answer is unwell, with its end unknown', async () => {
    const away = { lastPosition: () => Promise.reject(new Error('away')) }
    const figures = await scrapeOf({ store: away })
    expect(figures.value('svc_event_log_healthy')).toBe(0)
    expect(figures.value('svc_event_log_position')).toBeUndefined()
    const accounts = { projection: 'accounts' }
    expect(figures.value('svc_projection_lag_positions', accounts)).toBeUndefined()
    expect(figures.value('svc_projection_healthy', accounts)).toBe(1)
  })

  test('is asked once for its end by a scrape', async () => {
    const lastPosition = vi.fn(async () => 42n)
    await scrapeOf({ store: { lastPosition } })
    expect(lastPosition).toHaveBeenCalledTimes(1)
  })

  test.each([
    ['that takes nothing is unwell', { message: 'full', notReady: 'the disk is full' }, 0],
    ['with a lesser trouble is well', { message: 'a node of three is away' }, 1],
  ])('%s', async (_what, trouble, healthy) => {
    const storeHealth = { ...healthyStore, troubles: () => [trouble] }
    expect((await scrapeOf({ storeHealth })).value('svc_event_log_healthy')).toBe(healthy)
  })

  test('holds that nobody ends are counted a minute behind their deadline', async () => {
    const hold = { accountId: 'acct_a', requestId: 'req_a', hold: 1n, since: 0 }
    const held = (deadline: number) => ({ ...hold, deadline })
    const deadlines = [NOW_MS - 61_000, NOW_MS - 59_000, NOW_MS + 5_000]
    const views = { ...projections.views, holds: () => deadlines.map(held) }
    const figures = await scrapeOf({ projections: { ...projections, views } })
    expect(figures.value('svc_holds_overdue')).toBe(1)
    expect(figures.value('svc_holds_active')).toBe(2)
  })
})

describe('the last backup', () => {
  const writtenAt = async (last: Backups['last']) =>
    (await scrapeOf({ backups: { last } })).value('svc_last_backup_timestamp_seconds')

  test('is told by its time, and by 0 before the first one', async () => {
    const writtenAtNow = new Date(NOW_MS).toISOString()
    const last = () => ({ folder: '/backups/one', writtenAt: writtenAtNow })
    expect(await writtenAt(last)).toBe(NOW_MS / 1_000)
    expect(await writtenAt(() => undefined)).toBe(0)
  })

  test('is left out where its note is damaged, and where the events are elsewhere', async () => {
    const damaged = () => {
      throw new Error('last-backup.json is damaged')
    }
    expect(await writtenAt(damaged)).toBeUndefined()
    const elsewhere = await scrapeOf({ backups: undefined })
    expect(elsewhere.value('svc_last_backup_timestamp_seconds')).toBeUndefined()
  })
})

describe('views', () => {
  test('tell their health and how far they are behind', async () => {
    const figures = await scrape()
    const lag = (projection: string) =>
      figures.value('svc_projection_lag_positions', { projection })
    expect([lag('accounts'), lag('requests')]).toEqual([2, 35])
    expect(figures.value('svc_projection_healthy', { projection: 'accounts' })).toBe(1)
    expect(figures.value('svc_projection_healthy', { projection: 'requests' })).toBe(0)
    expect(figures.value('svc_holds_active')).toBe(2)
  })

  test('that cannot be asked are left out, and the rest is there', async () => {
    const broken = {
      lastStatus: () => [],
      views: {
        accountTotals: () => {
          throw new Error('closed')
        },
        holds: () => [],
      },
    }
    const text = await createMetrics({ ...sources, projections: broken }).text()
    const figures = new Exposition(text)
    expect(figures.value('svc_holds_active')).toBeUndefined()
    expect(figures.kinds.get('svc_holds_active')).toBe('gauge')
    expect(figures.value('svc_projection_lag_positions', {})).toBeUndefined()
    expect(figures.value('svc_worker_up', { worker: 'wrk_0' })).toBe(1)
  })
})

describe('the route', () => {
  const operations = {} as never

  test('answers the operator, and nobody else', async () => {
    const server = await startAdminServer({ operations, operatorToken: 'secret', metrics })
    try {
      const get = (authorization: string) =>
        fetch(`${server.baseUrl}/admin/v1/metrics`, { headers: { authorization } })
      const answer = await get('Bearer secret')
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe(METRICS_CONTENT_TYPE)
      expect(new Exposition(await answer.text()).value('svc_holds_active')).toBe(2)
      expect((await get('Bearer wrong')).status).toBe(401)
      expect((await get('')).status).toBe(401)
    } finally {
      await server.close()
    }
  })
})
