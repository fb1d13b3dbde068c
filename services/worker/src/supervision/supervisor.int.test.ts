import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { user, WorkerClient } from '@svc/testing/protocol-client'
import { until } from '@svc/testing/until'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkHealth } from './health-check.ts'
import {
  type Supervised,
  type SupervisedState,
  type SuperviseOptions,
  superviseWorker,
} from './supervisor.ts'

const GRACE_MS = 5000
/** For a stop that is not to end what runs, on a busy machine either. */
const UNHURRIED_MS = 40_000
const ENDLESS = { maxOutputTokens: 4000 }
const WITH_200_FILES = ['/bin/sh', '-c', 'ulimit -n 200; exec "$@"', 'sh']

interface HostLine {
  readonly pid: number
  readonly socketPath: string
  readonly reasons: readonly string[]
}

let folder: string
const supervisedWorkers: Supervised[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-test-'))
})

afterEach(async () => {
  await Promise.all(supervisedWorkers.splice(0).map((each) => each.stop(GRACE_MS)))
})

afterAll(async () => {
  await rm(folder, { recursive: true })
})

function supervise(options: Partial<SuperviseOptions> = {}) {
  const states: SupervisedState[] = []
  const reached = new Map<SupervisedState, () => void>()
  const supervised = superviseWorker({
    workerId: 'worker-test',
    modelArguments: ['--model', 'demo', '--sequences', '2'],
    log: () => {},
    onChange: (state) => {
      states.push(state)
      reached.get(state)?.()
    },
    ...options,
  })
  supervisedWorkers.push(supervised)
  const untilState = (state: SupervisedState) =>
    new Promise<void>((resolve) => {
      reached.set(state, resolve)
      if (supervised.state === state) resolve()
    })
  return { supervised, states, untilState }
}

/** Why workers ended, as the log has it. */
function notedReasons() {
  const reasons: unknown[] = []
  const log: SuperviseOptions['log'] = (_level, message, fields) => {
    if (message === 'worker exited, restarting') reasons.push(fields?.reason)
  }
  return { log, reasons }
}

const alive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** @throws {Error} where there is none: as a process id 0 would mean this process and its group */
function pidOf({ pid }: Supervised): number {
  if (pid === undefined) throw new Error('no worker runs')
  return pid
}

const threadNamesOf = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).map((id) =>
    readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim(),
  )

describe('a supervised worker that serves', () => {
  let serving: ReturnType<typeof supervise>
  beforeAll(async () => {
    process.env.SVC_WORKER_SECRET = 'a secret of the host process'
    serving = supervise()
    delete process.env.SVC_WORKER_SECRET
    // It outlives each test.
    supervisedWorkers.pop()
    await serving.supervised.ready()
  })
  afterAll(() => serving.supervised.stop(GRACE_MS))

  it.runIf(process.platform === 'linux')('has one thread that collects garbage', () => {
    const names = threadNamesOf(pidOf(serving.supervised))
    expect(names.filter((name) => name === 'node-V8Worker')).toEqual(['node-V8Worker'])
  })

  it('does not inherit the settings and secrets of its host', async () => {
    // A worker that had the secret would refuse a request without it.
    const health = await new WorkerClient(serving.supervised.address).health()
    expect(health).toMatchObject({ status: 'ready' })
  })

  it('does so on a socket in a private folder, and nothing is left when it is stopped', async () => {
    const { supervised, states } = serving
    expect(await supervised.ready()).toMatchObject({ workerId: 'worker-test', status: 'ready' })
    const { socketPath } = supervised.address
    expect(socketPath.length).toBeLessThan(100)
    expect((await stat(dirname(socketPath))).mode & 0o777).toBe(0o700)
    const pid = pidOf(supervised)
    await supervised.stop(GRACE_MS)
    expect([alive(pid), existsSync(dirname(socketPath))]).toEqual([false, false])
    expect([supervised.state, states]).toEqual(['stopped', ['ready', 'stopped']])
    await expect(supervised.ready()).rejects.toThrow(/stopped/)
  })
})

describe('a supervised worker', () => {
  it('killed in the middle of an answer breaks that stream and is back', async () => {
    const { supervised, untilState } = supervise()
    await supervised.ready()
    const client = new WorkerClient(supervised.address)
    const stream = await client.open(await client.request([user('Tell me a joke')], ENDLESS))
    await stream.events.next()
    const firstPid = pidOf(supervised)
    const restarting = untilState('restarting')
    process.kill(firstPid, 'SIGKILL')
    const rest = []
    for await (const event of stream.events) rest.push(event.type)
    expect(rest).not.toContain('done')
    await restarting
    await supervised.ready()
    expect(supervised.pid).not.toBe(firstPid)
    expect([supervised.restarts, supervised.state]).toEqual([1, 'ready'])
    expect((await client.generate([user('What is the capital city of Norway?')])).text).toContain(
      'Oslo',
    )
  })

  it('that hangs is killed and started again, and the log says who killed it', async () => {
    const timings = { heartbeatMs: 20, unresponsiveMs: 200 }
    const { log, reasons } = notedReasons()
    const { supervised, untilState } = supervise({ timings, log })
    await supervised.ready()
    const pid = pidOf(supervised)
    process.kill(pid, 'SIGSTOP')
    await untilState('restarting')
    await supervised.ready()
    expect(alive(pid)).toBe(false)
    expect(reasons).toEqual(['the worker did not respond and was killed'])
  })

  it('whose socket is gone is killed when it does not end by itself', async () => {
    const { log, reasons } = notedReasons()
    const { supervised, untilState } = supervise({ timings: { heartbeatMs: 20 }, log })
    await supervised.ready()
    await rm(supervised.address.socketPath)
    await untilState('restarting')
    expect(reasons).toEqual(['the worker did not respond and was killed'])
  })

  it('that somebody else kills is not said to be killed by us', async () => {
    const { log, reasons } = notedReasons()
    const { supervised, untilState } = supervise({ log })
    await supervised.ready()
    process.kill(pidOf(supervised), 'SIGKILL')
    await untilState('restarting')
    expect(reasons).toEqual([
      'the worker process ended (SIGKILL): most likely the system ended it for lack of memory',
    ])
    expect(await checkHealth(supervised.address.socketPath, UNHURRIED_MS)).toBe('nobody there')
  })

  it('that is killed over and over waits longer each time, up to a limit', async () => {
    const delaysMs: unknown[] = []
    const { supervised } = supervise({
      timings: { backOffMinMs: 20, backOffMaxMs: 50 },
      log: (_level, message, fields) => {
        if (message === 'worker exited, restarting') delaysMs.push(fields?.delayMs)
      },
    })
    await supervised.ready()
    // Once it has served, it is started again for ever, also when it never gets ready.
    for (let kills = 1; kills <= 3; kills += 1) {
      await until(() => supervised.pid !== undefined)
      process.kill(pidOf(supervised), 'SIGKILL')
      await until(() => delaysMs.length === kills)
    }
    expect(delaysMs).toEqual([20, 40, 50])
  })

  it('lets running requests end when it is stopped', async () => {
    const { supervised } = supervise()
    await supervised.ready()
    const client = new WorkerClient(supervised.address)
    const stream = await client.open(await client.request([user('Count from 1 to 20')]))
    await stream.events.next()
    const stopped = supervised.stop(UNHURRIED_MS)
    const types = []
    for await (const event of stream.events) types.push(event.type)
    await stopped
    expect(types.slice(-2)).toEqual(['meter', 'done'])
  })

  it('that refuses to start is not tried again, and says why in one line', async () => {
    const path = join(folder, 'not-a-model.gguf')
    await writeFile(path, 'this is no model')
    const { supervised } = supervise({ modelArguments: ['--model', path] })
    await expect(supervised.ready()).rejects.toThrow(`it is no GGUF file: ${path}`)
    expect([supervised.state, supervised.restarts]).toEqual(['failed', 0])
  })

  it('that dies in every first start is given up after three', async () => {
    const { supervised } = supervise({ timings: { backOffMinMs: 1, backOffMaxMs: 1 } })
    const failed = expect(supervised.ready()).rejects.toThrow(
      /ended \(SIGKILL\) before it was ready: most likely the system ended it for lack of memory/,
    )
    const killed = () => {
      if (supervised.pid !== undefined) process.kill(supervised.pid, 'SIGKILL')
      return supervised.state
    }
    await until(() => killed() === 'failed')
    await failed
    expect(supervised.restarts).toBe(2)
  })

  it('that gives no sign at its start is killed, and that is told', async () => {
    const timings = { startSilenceMs: 1, backOffMinMs: 1, backOffMaxMs: 1 }
    const { supervised } = supervise({ timings })
    await expect(supervised.ready()).rejects.toThrow('gave no sign for 1 ms and was killed')
  })

  it('that the runtime aborts at its start is told with what the runtime said', async () => {
    const said = ['CUDA error: the PTX was compiled by a newer toolchain.', '  current device: 0']
    const lines = said.map((msg) => JSON.stringify({ level: 50, time: 1, msg }))
    const aborts = join(folder, 'aborts.mjs')
    await writeFile(
      aborts,
      `process.stderr.write(${JSON.stringify(`${lines.join('\n')}\n`)}, () => process.abort())\n` +
        'await new Promise(() => {})\n',
    )
    const { supervised } = supervise({
      env: { NODE_OPTIONS: `--import ${aborts}` },
      timings: { backOffMinMs: 1, backOffMaxMs: 1 },
    })
    await expect(supervised.ready()).rejects.toThrow(
      'ended (SIGABRT) before it was ready: CUDA error: the PTX was compiled by a newer toolchain.',
    )
  })
})

describe('a worker whose supervisor is killed', () => {
  it('ends and leaves nothing behind', async () => {
    const host = spawnHost()
    const { pid, socketPath } = await firstLine(host)
    expect(alive(pid)).toBe(true)
    host.kill('SIGKILL')
    await until(() => !alive(pid))
    expect(existsSync(dirname(socketPath))).toBe(false)
  })
})

describe.skipIf(process.platform === 'win32')('a supervisor that can open no more files', () => {
  it('leaves a worker that it cannot ask alone', async () => {
    const host = spawnHost(`
      takeAllFiles()
      await setTimeout(1_000)
      console.log(JSON.stringify({ pid: supervised.pid, isTheSame: supervised.pid === pid }))
      process.exit()`)
    expect(await firstLine(host)).toMatchObject({ isTheSame: true })
  })

  it('tries again to start a worker that ended', async () => {
    const host = spawnHost(`
      takeAllFiles()
      process.kill(pid, 'SIGKILL')
      while (!reasons.some((reason) => reason.includes('EMFILE'))) await setTimeout(20)
      giveFilesBack()
      while (supervised.state !== 'ready') await setTimeout(20)
      console.log(JSON.stringify({ pid: supervised.pid, reasons }))
      process.exit()`)
    const { reasons } = await firstLine(host)
    expect(reasons).toContain(
      `the worker process cannot be started: spawn ${process.execPath} EMFILE`,
    )
  })
})

/**
 * A process that supervises a worker and does nothing else.
 *
 * @param story what it does when the worker is ready; it may open 200 files
 */
function spawnHost(story = 'console.log(JSON.stringify({ pid, socketPath }))'): ChildProcess {
  const supervisorUrl = new URL('supervisor.ts', import.meta.url).href
  const script = `
    const { closeSync, openSync } = await import('node:fs')
    const { setTimeout } = await import('node:timers/promises')
    const { superviseWorker } = await import(${JSON.stringify(supervisorUrl)})
    const reasons = []
    const supervised = superviseWorker({
      workerId: 'orphan',
      modelArguments: ['--sequences', '1'],
      timings: { heartbeatMs: 100 },
      log: (level, message, { reason }) => reasons.push(String(reason)),
    })
    await supervised.ready()
    const { pid, address: { socketPath } } = supervised
    const files = []
    const takeAllFiles = () => {
      try {
        for (;;) files.push(openSync('/dev/null'))
      } catch {}
    }
    const giveFilesBack = () => files.splice(0).forEach((file) => closeSync(file))
    ${story}`
  const node = [process.execPath, '--input-type=module', '--eval', script]
  const [command = '', ...args] = process.platform === 'win32' ? node : [...WITH_200_FILES, ...node]
  return spawn(command, args, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function firstLine(child: ChildProcess): Promise<HostLine> {
  if (child.stdout === null) throw new Error('the host has no stdout')
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line)
  throw new Error('the host ended without a line')
}
