/** `SVC_GPU=auto` takes what works, on a machine that seems to have two kinds of GPUs. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Supervised, superviseWorker } from '../src/supervision/supervisor.ts'

const GRACE_MS = 5000
const PRETENDED = import.meta.resolve('../testing/gpu/pretended-gpus.ts')
const KERNEL_ERROR = 'CUDA error: the provided PTX was compiled with an unsupported toolchain'

let folder: string
let supervised: Supervised | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-test-'))
})

afterEach(async () => {
  await supervised?.stop(GRACE_MS)
})

afterAll(async () => {
  await rm(folder, { recursive: true })
})

interface Listening {
  readonly env?: Readonly<Record<string, string>>
  readonly onTrialLine?: (workerPid: number) => void
}

function start(gpu: string, broken: string, { env = {}, onTrialLine }: Listening = {}) {
  const messages: string[] = []
  const started = superviseWorker({
    workerId: 'worker-test',
    modelArguments: ['--model', 'demo', '--sequences', '1', '--models-folder', folder],
    env: {
      SVC_GPU: gpu,
      NODE_OPTIONS: `--import ${PRETENDED}`,
      PRETENDED_BROKEN_GPUS: broken,
      ...env,
    },
    log: (_level, message, fields) => {
      messages.push(`${fields?.trial ?? 'worker'}: ${message}`)
      if (fields?.trial !== undefined) onTrialLine?.(supervised?.pid ?? 0)
    },
    timings: { backOffMinMs: 1, backOffMaxMs: 1 },
  })
  supervised = started
  const trials = () => new Set(messages.map((said) => said.split(':')[0]))
  return { started, trials }
}

describe('a worker that chooses what computes', () => {
  it('takes the best GPU when it works, and has nothing to say', async () => {
    const { started, trials } = start('auto', '')
    const { device, gpu, gpuProblem } = await started.ready()
    expect({ device, gpu, gpuProblem }).toEqual({
      device: 'cuda',
      gpu: 'pretended cuda',
      gpuProblem: null,
    })
    expect(trials()).toEqual(new Set(['cuda', 'worker']))
  })

  it('takes the next one when the kernels of the best end their process, and again when it is killed', async () => {
    const { started, trials } = start('auto', 'cuda')
    const { instanceId: _, load: __, ...before } = await started.ready()
    const { device, gpuProblem } = before
    expect(device).toBe('vulkan')
    expect(gpuProblem).toContain(
      'SVC_GPU=auto takes vulkan, because of what failed: ' +
        `cuda (its trial ended with SIGABRT: ${KERNEL_ERROR});`,
    )
    expect(started.restarts).toBe(0)
    const tried = trials()
    process.kill(started.pid ?? 0, 'SIGKILL')
    await expect.poll(() => started.state).toBe('restarting')
    expect(await started.ready()).toMatchObject(before)
    expect(trials()).toEqual(tried)
  })

  it('takes the CPU when no GPU works, and is then like a worker of the CPU', async () => {
    const { started } = start('auto', 'cuda,vulkan')
    const { device, gpu, gpuProblem, fingerprint } = await started.ready()
    expect([device, gpu]).toEqual(['cpu', null])
    expect(gpuProblem).toMatch(/takes the CPU, .*: cuda \(.*\), vulkan \(.*set SVC_GPU=off to keep/)
    await started.stop(GRACE_MS)
    const plain = start('off', 'cuda,vulkan')
    expect(await plain.started.ready()).toMatchObject({ fingerprint, gpuProblem: null })
  })
})

const linuxOnly = process.platform === 'linux' ? it : it.skip

linuxOnly('the trial of a GPU, which may leave a core dump, is given no secret', async () => {
  const seen: string[] = []
  const { started } = start('auto', '', {
    env: { SVC_CACHE_SECRET: 'a secret of the worker', SVC_WORKER_SECRET: 'another secret of it' },
    onTrialLine: (pid) => {
      for (const child of childrenOf(pid)) {
        seen.push(readFileSync(`/proc/${child}/environ`, 'utf8'))
      }
    },
  })
  await started.ready()
  expect(seen.some((environment) => environment.includes('PRETENDED_BROKEN_GPUS='))).toBe(true)
  expect(seen.join()).not.toContain('SECRET')
})

linuxOnly('a worker that is killed in a trial leaves no process of it behind', async () => {
  const left: number[] = []
  const { started } = start('auto', '', {
    onTrialLine: (pid) => {
      if (left.length > 0) return
      left.push(...childrenOf(pid))
      if (left.length > 0) process.kill(pid, 'SIGKILL')
    },
  })
  await started.ready()
  expect(started.restarts).toBe(1)
  expect(left).toHaveLength(1)
  await expect.poll(() => left.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
})

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

it('a worker that is told what computes takes nothing else', async () => {
  const { started, trials } = start('cuda', 'cuda')
  await expect(started.ready()).rejects.toThrow(
    `ended (SIGABRT) before it was ready: ${KERNEL_ERROR}`,
  )
  expect([started.state, started.restarts]).toEqual(['failed', 2])
  expect(trials()).toEqual(new Set(['worker']))
})
