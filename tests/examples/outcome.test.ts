import { describe, expect, test } from 'vitest'
import type { Example } from './example-list.ts'
import { countsOf, type Outcome, tableOf } from './outcome.ts'

describe('counts', () => {
  test.each([
    ['node:test', 'ok 1 - a\n# tests 5\n# pass 3\n# fail 2\n', { passed: 3, failed: 2 }],
    ['unittest', '..\nRan 12 tests in 1.9s\n\nOK\n', { passed: 12, failed: 0 }],
    [
      'a unittest that fails',
      'F.E\nRan 12 tests in 1.9s\n\nFAILED (failures=1, errors=2)\n',
      { passed: 9, failed: 3 },
    ],
    ['a shell check', '1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c\n', { passed: 2, failed: 1 }],
    ['what says nothing', 'Segmentation fault\n', { passed: 0, failed: 0 }],
  ])('are read from %s', (_name, output, counts) => {
    expect(countsOf(output)).toEqual(counts)
  })
})

test('the table says what ran, what did not, and why', () => {
  const example = (name: string, clients: readonly string[]): Example => ({
    name,
    clients,
    folder: `/examples/${name}`,
    kind: 'node',
    program: 'example.mjs',
    firstCall: undefined,
    check: 'check.mjs',
  })
  const outcomes: readonly Outcome[] = [
    {
      example: example('openai-node', ['openai 7.57.0']),
      state: 'passed',
      checks: { passed: 20, failed: 0 },
      reason: '',
      seconds: 12.3,
    },
    {
      example: example('x', ['langchain 1.0.0']),
      state: 'skipped',
      checks: { passed: 0, failed: 0 },
      reason: 'no python',
      seconds: 0,
    },
  ]
  expect(tableOf(outcomes).split('\n')).toEqual([
    'example      client           state    checks  time  reason',
    'openai-node  openai 7.57.0    passed   20/20   12 s',
    'x            langchain 1.0.0  skipped  0/0     0 s   no python',
  ])
})
