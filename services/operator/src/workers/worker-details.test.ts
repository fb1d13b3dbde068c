import { WorkerFailure } from '@svc/contracts/worker/failure'
import type { HealthResponse, StateResponse } from '@svc/contracts/worker/protocol'
import { emptyTier, freshState } from '@svc/testing/scripted-worker'
import { expect, test } from 'vitest'
import { workerDetails } from './worker-details.ts'
import type { FleetWorker } from './worker-fleet.ts'

const health: HealthResponse = {
  status: 'ready',
  workerId: 'the name that it gives itself',
  instanceId: 'worker-1/7',
  fingerprint: 'f'.repeat(64),
  modelName: 'demo',
  toy: true,
  contextSize: 8_192,
  threads: 4,
  cpuVariant: 'avx512',
  device: 'cuda',
  gpu: 'NVIDIA H200',
  gpuProblem: null,
  cacheProblem: null,
  cache: { mode: 'on', schedule: 'any-token', reason: 'Redis is not set up', tiers: ['l1'] },
  load: { queued: 1, running: 2, sequences: 8 },
}

function workerWith(fields: Partial<FleetWorker>): FleetWorker {
  return {
    workerId: 'worker-1',
    address: 'unix:/run/worker-1.sock',
    health,
    running: 2,
    ready: true,
    leaving: false,
    problem: undefined,
    client: { state: () => Promise.reject(), audit: () => Promise.reject() },
    ...fields,
  }
}

const supervised = { state: 'restarting', restarts: 3 }

function detailsOf(fields: Partial<FleetWorker>, state: StateResponse | undefined) {
  return workerDetails({ worker: workerWith(fields), state }, supervised)
}

test('a worker that answers tells what it is, has to do and has saved', () => {
  const state: StateResponse = {
    ...freshState,
    running: 5,
    totals: { inputTokens: 250, cachedInputTokens: 750, outputTokens: 9 },
    cache: { ...freshState.cache, lookups: 8, hits: 6, l1: { ...emptyTier, bytes: 7 } },
  }
  expect(detailsOf({}, state)).toEqual({
    worker_id: 'worker-1',
    status: 'ready',
    model_name: 'demo',
    toy: true,
    restarts: 3,
    address: 'unix:/run/worker-1.sock',
    supervised: true,
    setup: {
      instance_id: 'worker-1/7',
      device: 'cuda',
      gpu: 'NVIDIA H200',
      cpu_variant: 'avx512',
      fingerprint: 'f'.repeat(64),
      context_size: 8_192,
      threads: 4,
    },
    load: { sequences: 8, running: 5, queued: 0 },
    cache: {
      mode: 'on',
      schedule: 'any-token',
      reason: 'Redis is not set up',
      tiers: ['l1'],
      use: {
        prompts: 8,
        prompt_hit_rate: 0.75,
        token_hit_rate: 0.75,
        l1: { blocks: 0, bytes: 7, bytes_max: 0, hits: 0, writes: 0, failures: 0 },
        l2: null,
        meter_mismatches: 0,
      },
    },
    problem: null,
  })
})

test('before the first prompt there is no rate', () => {
  const { cache } = detailsOf({}, freshState)
  expect(cache?.use).toMatchObject({ prompts: 0, prompt_hit_rate: null, token_hit_rate: null })
})

test('a worker that does not answer has nothing but its supervisor to tell of it', () => {
  const problem = new WorkerFailure('unreachable', 'the worker did not answer /health')
  const details = detailsOf({ health: undefined, ready: false, problem }, undefined)
  expect(details).toMatchObject({
    status: 'restarting',
    restarts: 3,
    setup: null,
    load: null,
    cache: null,
    problem: 'the worker did not answer /health',
  })
})

test('a remote worker that does not answer is unreachable', () => {
  const worker = workerWith({ health: undefined, ready: false })
  const details = workerDetails({ worker, state: undefined }, undefined)
  expect(details).toMatchObject({ status: 'unreachable', problem: 'it does not answer' })
})

test('a worker that is well and does not tell its state shows the load of its health', () => {
  const details = detailsOf({}, undefined)
  expect(details).toMatchObject({ load: health.load, problem: 'no status reported' })
  expect(details.cache).toMatchObject({ mode: 'on', use: null })
})

test('a GPU that is there and not used is a problem', () => {
  const gpuProblem = 'SVC_GPU=auto takes the CPU, because of what failed: cuda'
  expect(detailsOf({ health: { ...health, gpuProblem } }, freshState).problem).toBe(gpuProblem)
})

test('a Redis that is away is a problem, beside any other', () => {
  const cacheProblem = 'Redis at 10.0.0.7:6379 is not connected'
  const alone = `prompts are cached by this worker alone: ${cacheProblem}`
  expect(detailsOf({ health: { ...health, cacheProblem } }, freshState).problem).toBe(alone)
  const both = { ...health, cacheProblem, gpuProblem: 'the GPU is not used' }
  expect(detailsOf({ health: both }, { ...freshState, meterMismatches: 2 }).problem).toBe(
    `the runtime counted 2 prompts otherwise than the worker; the GPU is not used; ${alone}`,
  )
})

test('a meter that was doubted is a problem', () => {
  expect(detailsOf({}, { ...freshState, meterMismatches: 2 }).problem).toContain('2 prompts')
})
