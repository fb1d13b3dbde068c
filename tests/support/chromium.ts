/** The Chromium of the tests: the one that `SVC_TEST_CHROMIUM` names, or one on the path. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** The first is the same engine without the browser around it: it takes half the processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** Why the tests of the pages cannot run here; undefined: they can. In CI they must. */
export function missingChromium(): string | undefined {
  if (chromiumPath() !== undefined) return undefined
  const problem = 'no Chromium: set SVC_TEST_CHROMIUM, or apt-get install chromium-headless-shell'
  if (process.env.CI) throw new Error(problem)
  return problem
}

/** @param args beside those that it always gets */
export async function openChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === undefined) throw new Error('no Chromium on the path')
  // Root, as in a container, has no sandbox for it; the pages are our own.
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...args],
  })
}

function chromiumPath(): string | undefined {
  const named = process.env.SVC_TEST_CHROMIUM
  if (named !== undefined && named !== '') return named
  const folders = (process.env.PATH ?? '').split(delimiter)
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
