/**
 * Ends this process when it hangs: when the main thread does not run, or when the runtime has been
 * asked for something and nothing comes back from it, be it a batch on a GPU that is stuck or one
 * draw under a grammar. All sequences share the batch, so all of them would wait for ever.
 *
 * It looks from a thread of its own and ends the process by a signal: an orderly end would wait for
 * the very threads that hang. Whoever supervises the worker starts it again; its running requests
 * end as with any worker that dies.
 */
import { Worker } from 'node:worker_threads'
import { threadEnvironment } from '@svc/infra/system/thread-environment'
import type { RuntimeWatch } from './runtime-watch.ts'

/** Looks at the counters within the time after which a silence counts as a hang. */
const LOOKS = 20

export interface WatchdogData {
  readonly counters: Int32Array
  /** Milliseconds between two looks, and how many looks without a change are a hang. */
  readonly lookMs: number
  readonly looks: number
}

/** @param hangMs of silence after which the process is ended */
export function startWatchdog(watch: RuntimeWatch, hangMs: number): void {
  const lookMs = hangMs / LOOKS
  const beat = setInterval(() => watch.beat(), lookMs / 2)
  beat.unref()
  const workerData: WatchdogData = { counters: watch.counters, lookMs, looks: LOOKS }
  const url = new URL('watchdog-thread.ts', import.meta.url)
  const env = threadEnvironment()
  new Worker(url, { workerData, env, argv: [], execArgv: [], name: 'watchdog' }).unref()
}
