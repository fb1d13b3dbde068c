/** Leaves a line for each file of tests that failed, in the file that `SVC_FAILED_FILES` names. */
import { rmSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

export default class FailedFilesReporter implements Reporter {
  readonly #path = process.env.SVC_FAILED_FILES

  onTestRunStart(): void {
    if (this.#path !== undefined) rmSync(this.#path, { force: true })
  }

  /** No file is left where something failed that belongs to none: then nothing can be repeated. */
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const failed = modules.filter((module) => !module.ok())
    if (this.#path === undefined || failed.length === 0 || unhandled.length > 0) return
    const lines = failed.map(({ moduleId }) => `${relative(process.cwd(), moduleId)}\n`)
    writeFileSync(this.#path, lines.join(''))
  }
}
