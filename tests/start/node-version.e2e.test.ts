/**
 * The machine has an older Node; `npm start`, `npm test` and `./svc` run on the one that npm
 * installed. Every Node process that a command starts writes down its version and its script.
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { NEEDED_MAJOR, olderNodeFolder, pathOfOlderNode } from '@svc/testing/older-node'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LAUNCHER = join('services', 'cli', 'bin', 'svc.js')
const WAIT_MS_MAX = 60_000

/** A test of nothing but a schema, which stands for all. */
const ONE_TEST = 'contracts/src/wire/models.test.ts'

const runs: [what: string, command: string, args: string[], script: RegExp][] = [
  ['the launcher', 'node', [LAUNCHER, '--help'], /cli[\\/]src[\\/]main\.ts$/],
  ['./svc', './svc', ['--help'], /svc\.js$/],
  ['npm start', 'npm', ['start', '--', '--help'], /svc\.js$/],
  ['npm test, of its tests', 'npm', ['run', 'test:all', '--', ONE_TEST], /vitest(\.mjs)?$/],
]

const noOlderNode = olderNodeFolder === undefined

describe.skipIf(noOlderNode)(`with an older Node in ${olderNodeFolder}`, () => {
  test('that Node is what the shell finds', async () => {
    const [shell] = await nodesOf('node', ['--eval', ''])
    expect(shell?.major).toBeGreaterThanOrEqual(20)
    expect(shell?.major).toBeLessThan(NEEDED_MAJOR)
  })

  test.each(runs)(
    '%s runs on the Node that npm installed',
    async (_what, command, args, script) => {
      const nodes = await nodesOf(command, args)
      const ours = nodes.filter((node) => script.test(node.script))
      expect(ours.length, JSON.stringify(nodes)).toBeGreaterThan(0)
      expect(ours.at(-1)?.major).toBeGreaterThanOrEqual(NEEDED_MAJOR)
    },
  )
})

test.runIf(noOlderNode)('without an older Node on this machine', ({ skip }) => {
  skip('this machine has no Node older than 26 outside node_modules: nothing can be shown')
})

interface StartedNode {
  readonly major: number
  readonly script: string
}

/** Every Node process of a command, in the order of their starts. */
async function nodesOf(command: string, args: readonly string[]): Promise<readonly StartedNode[]> {
  const folder = temporaryFolder()
  const witness = join(folder, 'witness.cjs')
  const record = join(folder, 'nodes.jsonl')
  writeFileSync(record, '')
  writeFileSync(
    witness,
    `const line = JSON.stringify({
       major: Number(process.versions.node.split('.')[0]),
       script: process.argv[1] ?? '',
     })
     require('node:fs').appendFileSync(${JSON.stringify(record)}, line + '\\n')`,
  )
  await promisify(execFile)(command, [...args], {
    cwd: ROOT,
    timeout: WAIT_MS_MAX,
    env: {
      PATH: pathOfOlderNode,
      HOME: process.env.HOME,
      NODE_OPTIONS: `--require ${JSON.stringify(witness)}`,
      SVC_DATA_DIR: folder,
    },
  })
  const lines = readFileSync(record, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}
