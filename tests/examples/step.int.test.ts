import { expect, test } from 'vitest'
import { runStep } from './step.ts'

const bash = (script: string, timeoutMs = 30_000) =>
  runStep({
    command: 'bash',
    arguments: ['-c', script],
    folder: '.',
    environment: { PATH: process.env.PATH, GREETING: 'hello' },
    timeoutMs,
  })

test('a command that ends well has passed, with what it said', async () => {
  const result = await bash('echo $GREETING; echo aside >&2')
  expect(result).toMatchObject({ passed: true, reason: '' })
  expect(result.output).toMatch(/hello/)
  expect(result.output).toMatch(/aside/)
})

test('a command that fails, and one that is missing, say why', async () => {
  expect(await bash('exit 3')).toMatchObject({ passed: false, reason: 'ended with 3' })
  const step = { command: 'no-such-command', arguments: [], folder: '.', environment: {} }
  const result = await runStep({ ...step, timeoutMs: 30_000 })
  expect(result.reason).toMatch(/ENOENT/)
})

test('a command that hangs is ended with its children', async () => {
  const result = await bash('echo "child $BASHPID"; sleep 600 & echo "child $!"; wait', 2_000)
  expect(result).toMatchObject({ passed: false, reason: 'not done in 2 s' })
  const children = [...result.output.matchAll(/child (\d+)/g)].map(([, pid]) => Number(pid))
  expect(children).toHaveLength(2)
  for (const pid of children) await expect.poll(() => isAlive(pid)).toBe(false)
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
