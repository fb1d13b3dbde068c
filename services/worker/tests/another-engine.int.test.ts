/**
 * A whole worker on an engine that is not llama.cpp: nothing outside of an engine's folder knows.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { user, WorkerClient } from '@svc/testing/protocol-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { GpuFacts, OpenEngine } from '../src/engines/engine.ts'
import { openScripted } from '../src/engines/scripted/scripted-engine.ts'
import { type RunningWorker, runWorker } from '../src/run-worker.ts'
import { settingsOf } from '../src/settings/worker-settings.ts'

const NEVER_HANGS = { SVC_WORKER_HANG_MS: String(3_600_000) }

let folder: string
let worker: RunningWorker
let client: WorkerClient

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-engine-'))
  worker = await start('w')
  client = new WorkerClient(worker.address)
})

const scripted = openScripted({ answer: 'Hello!' })

/** The script as it would run on this GPU. */
function onGpu(gpu: GpuFacts): OpenEngine {
  return async (...asked) => {
    const { engine, facts } = await scripted(...asked)
    return { engine, facts: { ...facts, device: 'cuda', gpu } }
  }
}

function start(name: string, openEngine: OpenEngine = scripted): Promise<RunningWorker> {
  const words = { socket: join(folder, `${name}.sock`), contextSize: '1024', modelsFolder: folder }
  const onBroken = (error: unknown) => {
    throw error
  }
  const settings = settingsOf(words, NEVER_HANGS)
  return runWorker(settings, () => {}, onBroken, openEngine)
}

afterAll(async () => {
  await worker.stop()
  await rm(folder, { recursive: true })
})

it('answers, counts and reuses prompts', async () => {
  const question = [user('Tell me about Mira the fox, please. '.repeat(10))]
  const first = await client.generate(question)
  expect(first.text).toBe('Hello!')
  expect(first.last).toMatchObject({ type: 'done', finishReason: 'stop' })
  expect(first.meter).toMatchObject({ cachedInputTokens: 0 })
  const again = await client.generate(question)
  expect(again.meter?.cachedInputTokens).toBeGreaterThan(0)
  const { inputTokens = 0, cachedInputTokens = 0 } = again.meter ?? {}
  expect(inputTokens + cachedInputTokens).toBe(first.meter?.inputTokens)
})

it('says what it is', async () => {
  expect(await client.health()).toMatchObject({
    status: 'ready',
    modelName: 'scripted',
    toy: true,
    contextSize: 1024,
    device: 'cpu',
    cache: { mode: 'on', tiers: ['l1'] },
    load: { queued: 0, sequences: 8 },
  })
})

it('confirms at its next start what it has found out, with one batch', async () => {
  const next = await start('next')
  const { batches } = await new WorkerClient(next.address).state()
  await next.stop()
  expect(batches).toMatchObject({ prompt: 1, promptTokens: 64 })
})

it('shares nothing with another GPU, and tests each for itself', async () => {
  const gpus = ['1', '2', '1'].map((driver) => ({ name: 'H100', libraries: [`driver ${driver}`] }))
  const seen: { readonly fingerprint: string; readonly testedTokens: number }[] = []
  for (const [number, gpu] of gpus.entries()) {
    const each = await start(`gpu-${number}`, onGpu(gpu))
    const asked = new WorkerClient(each.address)
    const [{ fingerprint, gpu: shown }, { batches }] = await Promise.all([
      asked.health(),
      asked.state(),
    ])
    await each.stop()
    expect(shown).toBe('H100')
    seen.push({ fingerprint, testedTokens: batches.promptTokens })
  }
  const [one, other, again] = seen
  expect(other?.fingerprint).not.toBe(one?.fingerprint)
  expect(again?.fingerprint).toBe(one?.fingerprint)
  expect(other?.testedTokens).toBe(one?.testedTokens)
  expect(again?.testedTokens).toBe(64)
})
