/** The thread of {@link startWatchdog}. It counts its own looks: a suspended process has none. */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { BEATS, ENDED, PENDING } from './runtime-watch.ts'
import type { WatchdogData } from './watchdog.ts'

const STDERR = 2
const { counters, lookMs, looks } = workerData as WatchdogData

/** Looks since a counter has changed. */
class Silence {
  readonly #counter: number
  #last = 0
  #looks = 0

  constructor(counter: number) {
    this.#counter = counter
  }

  /** @returns whether it has lasted too long */
  look(mayBeSilent: boolean): boolean {
    const now = Atomics.load(counters, this.#counter)
    this.#looks = mayBeSilent || now !== this.#last ? 0 : this.#looks + 1
    this.#last = now
    return this.#looks >= looks
  }
}

const main = new Silence(BEATS)
const runtime = new Silence(ENDED)

setInterval(() => {
  if (main.look(false)) end('main thread blocked')
  if (runtime.look(Atomics.load(counters, PENDING) === 0)) end('no response from the model runtime')
}, lookMs)

function end(what: string): void {
  const time = new Date().toISOString()
  const msg = 'worker hangs, exiting'
  const entry = { time, level: 50, msg, what, silentMs: lookMs * looks }
  try {
    writeSync(STDERR, `${JSON.stringify(entry)}\n`)
  } catch {
    // Nobody reads stderr, or not fast enough. The process ends all the same.
  }
  process.kill(process.pid, 'SIGKILL')
}
