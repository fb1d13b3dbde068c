/**
 * The README's quick start and the tutorial are run as they are printed, against a real server with
 * the real model: each `sh` block by bash, and where a `text` block follows, its lines are found in
 * the output.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type DocumentBlock, readBlocks } from './blocks.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * What the reader does once by hand: the server is started by the test, its values put in place.
 */
const DONE_BY_THE_TEST = [/npm install/, /^export SVC_(URL|KEY)=/m]

describe.each(['README.md', 'docs/tutorial/first-paid-answer.md'])('%s', (document) => {
  test('does what it says', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const server = new ServerProcess(dataDir)
    onTestFinished(() => server.kill('SIGKILL'))
    const { baseUrl, apiKey = '', accountId } = await server.ready()
    const environment = {
      SVC_URL: baseUrl,
      SVC_KEY: apiKey,
      ACCOUNT: accountId,
      SVC_DATA_DIR: dataDir,
    }
    const blocks = readBlocks(readFileSync(join(ROOT, document), 'utf8'))
    const commands = blocks.filter(
      ({ commands }) => !DONE_BY_THE_TEST.some((pattern) => pattern.test(commands)),
    )
    expect(commands.length).toBeGreaterThan(2)
    for (const block of commands) await runBlock(block, environment)
    expect(await server.stop()).toEqual({ code: 0, signal: null })
  })
})

async function runBlock(
  block: DocumentBlock,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const { code, output } = await runInBash(block.commands, environment)
  expect(code, `${block.commands}\n→ ${output}`).toBe(0)
  for (const line of block.expectedLines) {
    expect(flat(output), `${block.commands}\n→ ${output}`).toMatch(patternOf(line))
  }
}

/** `…` in an expected line stands for anything. */
function patternOf(line: string): RegExp {
  const literal = flat(line)
    .split('…')
    .map((part) => RegExp.escape(part))
  return new RegExp(literal.join('.*?'))
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function runInBash(
  commands: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  const { SVC_URL, SVC_KEY, SVC_DATA_DIR, ...others } = environment
  const script = `export SVC_DATA_DIR='${SVC_DATA_DIR}'\nSVC_URL='${SVC_URL}'\nSVC_KEY='${SVC_KEY}'\nset -eo pipefail\n${commands}`
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['-c', script],
      { cwd: ROOT, env: { ...pathOnly(), ...others }, timeout: 60_000 },
      (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, output: `${stdout}\n${stderr}` }),
    )
  })
}

function pathOnly(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: process.env.HOME }
}
