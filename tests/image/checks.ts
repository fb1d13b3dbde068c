/** What a run has checked, told line by line. */
import { setTimeout as delay } from 'node:timers/promises'

const AGAIN_MS = 500

export class Checks {
  #passed = 0
  #failed = 0

  get failed(): number {
    return this.#failed
  }

  /** Never rejects. @returns whether it held */
  async check(what: string, work: () => unknown): Promise<boolean> {
    const startedMs = performance.now()
    try {
      await work()
    } catch (error) {
      this.#failed += 1
      tell(`FAIL  ${what}: ${error instanceof Error ? error.message : error}`)
      return false
    }
    this.#passed += 1
    tell(`ok    ${what} (${Math.round(performance.now() - startedMs)} ms)`)
    return true
  }

  summary(): string {
    return `${this.#passed} passed, ${this.#failed} failed`
  }
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** @throws what the last try threw, when none came through in time */
export async function eventually(withinMs: number, work: () => unknown): Promise<void> {
  const untilMs = performance.now() + withinMs
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (performance.now() > untilMs) throw error
    }
    await delay(AGAIN_MS)
  }
}
