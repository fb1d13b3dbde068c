import { expect, test } from 'vitest'
import { runToEnd } from './bounded-run.ts'

test('a program that does not end is ended, and named with what it wrote', () => {
  // The second holds the output open, as the reader of a pipe does.
  const script = 'trap "" TERM; echo begun; sleep 20 & sleep 20'
  const started = performance.now()
  expect(() => runToEnd('sh', ['-c', script], { timeout: 500 })).toThrow(
    /^not over after 500 ms: sh -c trap [^\n]*\nbegun\n/,
  )
  expect(performance.now() - started).toBeLessThan(10_000)
})

test('a program that is not there has no exit code', () => {
  expect(runToEnd('no-such-program-of-svc')).toEqual({ status: null, stdout: '', stderr: '' })
})
