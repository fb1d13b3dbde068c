/** Whether workers that have nothing to do hold more than they held when they were warm. */
import { setTimeout as delay } from 'node:timers/promises'
import { type ProcessSize, sizeOfProcess } from '@svc/testing/process-size'
import type { MeasuredWorker } from '../../services/worker/bench/measured-worker.ts'

const MEBIBYTE = 1024 * 1024
/** Connections that are given up are closed by then, and garbage is collected. */
const QUIET_MS_MAX = 10_000
const COLLECTED_MS = 500
const LOOK_AGAIN_MS = 250
/** To Redis, a worker may have one connection more than at the first look, or a file being read. */
const FILES_GROWTH_MAX = 2
const MEMORY_GROWTH_SHARE_MAX = 0.1
const MEMORY_GROWTH_BYTES_MAX = 20 * MEBIBYTE

/** Of the requests: what a worker has to be through before its memory says anything. */
interface Warm {
  readonly openFiles: number
  bytes: number | null
}

export class LeakWatch {
  readonly #warm = new Map<number, Warm>()

  /**
   * Looks at a worker whose requests have all ended.
   *
   * @param isWarm whether its caches are full, so that its memory may hardly grow from here on
   * @returns what it holds too much of, in words
   */
  async look(worker: MeasuredWorker, isWarm: boolean): Promise<readonly string[]> {
    const { workerId } = worker.health
    if (!(await becomesIdle(worker))) return [`${workerId} still has requests`]
    process.kill(worker.pid, 'SIGUSR2')
    await delay(COLLECTED_MS)
    const warm = this.#warm.get(worker.pid)
    if (warm === undefined) {
      const { openFiles, bytes } = sizeOfProcess(worker.pid)
      this.#warm.set(worker.pid, { openFiles, bytes: isWarm ? bytes : null })
      return []
    }
    const size = await settledSize(worker.pid, warm.openFiles + FILES_GROWTH_MAX)
    const problems = isWarm ? memoryProblems(workerId, warm, size) : []
    if (size.openFiles > warm.openFiles + FILES_GROWTH_MAX) {
      problems.push(`${workerId} has ${size.openFiles} open files, and had ${warm.openFiles}`)
    }
    return problems
  }
}

function memoryProblems(workerId: string, warm: Warm, { bytes }: ProcessSize): string[] {
  warm.bytes ??= bytes
  const most = warm.bytes * (1 + MEMORY_GROWTH_SHARE_MAX) + MEMORY_GROWTH_BYTES_MAX
  const mebibytes = (size: number) => Math.round(size / MEBIBYTE)
  if (bytes <= most) return []
  return [`${workerId} has ${mebibytes(bytes)} MiB, and had ${mebibytes(warm.bytes)} when warm`]
}

async function becomesIdle({ client }: MeasuredWorker): Promise<boolean> {
  const endMs = performance.now() + QUIET_MS_MAX
  while (performance.now() < endMs) {
    const { queued, running } = await client.state()
    if (queued + running === 0) return true
    await delay(LOOK_AGAIN_MS)
  }
  return false
}

/** Waits for as many open files as there may be; not for ever. */
async function settledSize(pid: number, openFilesMax: number): Promise<ProcessSize> {
  const endMs = performance.now() + QUIET_MS_MAX
  for (;;) {
    const size = sizeOfProcess(pid)
    if (size.openFiles <= openFilesMax || performance.now() > endMs) return size
    await delay(LOOK_AGAIN_MS)
  }
}
