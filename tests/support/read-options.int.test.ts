import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

const bench = fileURLToPath(import.meta.resolve('../../projections/bench/projections.bench.ts'))
const randomModel = fileURLToPath(
  import.meta.resolve('../../services/worker/bench/random-model.ts'),
)
const usage = /usage: node \S*projections\.bench\.ts \[--events 1000000\] .*\[--json\]\n$/

const run = (...args: readonly string[]) => runScript(bench, args)

function runScript(script: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { status, stdout, stderr }
}

test('--help tells the options of a script, and nothing is measured', () => {
  expect(run('--json', '--help')).toEqual({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(usage),
  })
})

test.each([['--evnts', '9'], ['--events'], ['9'], ['--events', 'abc'], ['--threads', '1.5']])(
  'what no script takes, such as %s, ends it with the usage and no stack',
  (...args) => {
    const { status, stdout, stderr } = run(...args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(usage)
    expect(stderr).not.toMatch(/^ +at /m)
  },
)

test.each([
  [],
  ['tiny'],
  ['tiny', 'FILE', 'more'],
  ['huge', 'FILE'],
  ['tiny', 'FILE', '--seed', 'abc'],
  ['tiny', 'FILE', '--vocabulary', '1e3'],
  ['tiny', 'FILE', '--type', 'f32'],
])('a model file that is not well described is not written: %s %s %s %s', (...args) => {
  const path = join(temporaryFolder(), 'out.gguf')
  const given = args.map((arg) => (arg === 'FILE' ? path : arg))
  const { status, stdout, stderr } = runScript(randomModel, given)
  expect([status, stdout, existsSync(path)]).toEqual([2, '', false])
  expect(stderr).toMatch(/\nusage: node \S*random-model\.ts SHAPE OUT\.gguf \[--type TYPE\] .*\n$/)
})
