import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const bench = fileURLToPath(import.meta.resolve('../../projections/bench/projections.bench.ts'))
const usage = /usage: node \S*projections\.bench\.ts \[--events 1000000\] .*\[--json\]\n$/

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bench, ...args], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { status, stdout, stderr }
}

test('--help tells the options of a script, and nothing is measured', () => {
  expect(run('--json', '--help')).toEqual({
    ...{ status: 0, stderr: '' },
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
