import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SERVER_NODE_FLAGS } from '@svc/testing/server-flags'
import { expect, test } from 'vitest'
import { workspaceRoot } from '../rules/workspace.ts'

/** Each starts the server on Node itself, so each has a list of its own. */
const WAYS = ['svc', 'services/cli/bin/svc.js', 'infra/image/Dockerfile', 'package.json'] as const

test('every way of starting gives Node the same flags', () => {
  const [first, ...others] = WAYS.map((file) => ({ file, flags: flagsIn(file) }))
  expect(first?.flags).toEqual(expect.arrayContaining(['--disable-sigusr1', ...SERVER_NODE_FLAGS]))
  for (const { file, flags } of others) expect(flags, file).toEqual(first?.flags)
})

test.each(['svc', 'services/cli/bin/svc.js', 'infra/image/Dockerfile'])(
  '%s bounds the heaps of glibc',
  (file) => {
    expect(textOf(file)).toMatch(/MALLOC_ARENA_MAX\W+(\$\{MALLOC_ARENA_MAX:-)?2\b/)
  },
)

/** @returns what stands before the `--` that ends them, in the order in which it is given */
function flagsIn(file: (typeof WAYS)[number]): readonly string[] {
  const text = file === 'package.json' ? JSON.parse(textOf(file)).scripts.start : textOf(file)
  const from = text.indexOf('--disable-sigusr1')
  return text.slice(from, text.indexOf('TimeoutNegativeWarning', from)).match(/--[\w-]+(=\w+)?/g)
}

function textOf(file: string): string {
  return readFileSync(join(workspaceRoot, file), 'utf8')
}
