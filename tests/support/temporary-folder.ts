/** Folders of tests and benches, each removed with all that is in it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** `using folder = makeTemporaryFolder()` removes it at the end of the block. */
export interface TemporaryFolder extends Disposable {
  readonly path: string
  remove(): void
}

/** For what outlives one test: a bench, a server that several tests share. */
export function makeTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'svc-test-'))
  const remove = () => rmSync(path, { recursive: true, force: true })
  return { path, remove, [Symbol.dispose]: remove }
}

/** Removed when the test ends. @returns its path */
export function temporaryFolder(): string {
  const { path, remove } = makeTemporaryFolder()
  onTestFinished(remove)
  return path
}
