/**
 * Models that remember in other ways are served as well: with the cache off where their memory
 * cannot be taken apart, and saying so.
 */
import { join } from 'node:path'
import { user, WorkerClient } from '@svc/testing/protocol-client'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ShapeName } from '../bench/random-model/shapes.ts'
import { writeRandomModel } from '../bench/random-model/write-random-model.ts'
import { superviseWorker } from '../src/supervision/supervisor.ts'

const STOP_MS = 5_000
/** Three blocks and more. */
const PROMPT = [user('hello '.repeat(80))]

async function serve(shape: ShapeName): Promise<WorkerClient> {
  const path = join(temporaryFolder(), 'model.gguf')
  writeRandomModel({ shape, path, seed: 1 })
  const supervised = superviseWorker({
    workerId: 'worker-test',
    modelArguments: ['--model', path, '--sequences', '2'],
    log: () => {},
  })
  onTestFinished(() => supervised.stop(STOP_MS))
  await supervised.ready()
  return new WorkerClient(supervised.address)
}

async function askTwice(worker: WorkerClient) {
  const first = await worker.generate(PROMPT, { maxOutputTokens: 8 })
  const second = await worker.generate(PROMPT, { maxOutputTokens: 8 })
  expect(second.text).toBe(first.text)
  expect(first.meter?.inputTokens).toBeGreaterThan(3 * 128)
  expect(await worker.state()).toMatchObject({ meterMismatches: 0 })
  return { first: first.meter, second: second.meter }
}

describe('a model', () => {
  it.each([
    ['that attends to everything', 'tiny'],
    ['that is a mixture of experts', 'tiny-experts'],
  ] as const)('%s has a cache, to the last token', async (_kind, shape) => {
    const worker = await serve(shape)
    expect((await worker.health()).cache).toMatchObject({ mode: 'on', schedule: 'any-token' })
    expect((await askTwice(worker)).second?.inputTokens).toBe(1)
  })

  it.each([
    ['with a sliding window', 'tiny-window', /saved state is not as expected/],
    ['that is recurrent', 'tiny-recurrent', /cannot go on from a part of its memory/],
  ] as const)('%s runs without one and says so', async (_kind, shape, reason) => {
    const worker = await serve(shape)
    const { cache } = await worker.health()
    expect(cache).toEqual({
      mode: 'off',
      schedule: 'canonical-128',
      tiers: [],
      reason: expect.stringMatching(reason),
    })
    const { first, second } = await askTwice(worker)
    expect(second).toMatchObject({
      inputTokens: first?.inputTokens,
      cachedInputTokens: 0,
      cache: { blocks: 0, source: 'none', evaluatedTokens: first?.inputTokens },
    })
    expect((await worker.prepare(PROMPT)).blocks).toEqual([])
  })
})
