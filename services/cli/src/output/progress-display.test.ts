import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { LOG_LINE_MS, ProgressDisplay, progressOnStandardError } from './progress-display.ts'

const MIB = 1024 ** 2
const at = (doneMib: number) => ({
  progress: { model: 'hf:a/b', doneBytes: doneMib * MIB, totalBytes: 400 * MIB },
})

function displayOn(isTerminal: boolean) {
  const written: string[] = []
  const logged: [object, string][] = []
  const clock = { ms: 0 }
  const display = new ProgressDisplay({
    isTerminal,
    write: (text) => void written.push(text),
    log: (fields, message) => void logged.push([fields, message]),
    nowMs: () => clock.ms,
  })
  return { display, written, logged, clock }
}

describe('on a terminal', () => {
  test('one line is written over, with the rate since it began, and cleared at the end', () => {
    const { display, written, logged, clock } = displayOn(true)
    expect(display.show('worker-1', 'downloading the model', at(100))).toBe(true)
    clock.ms = 2000
    display.show('worker-1', 'downloading the model', at(150))
    expect(written).toEqual([
      '\r\u001B[Kdownloading the model hf:a/b: 25 % of 400 MiB',
      '\r\u001B[Kdownloading the model hf:a/b: 37 % of 400 MiB, 25 MiB/s',
    ])
    display.clear()
    display.clear()
    expect(written.slice(2)).toEqual(['\r\u001B[K'])
    expect(logged).toEqual([])
  })
})

describe('elsewhere', () => {
  test('a line of the log comes every few seconds for each worker', () => {
    const { display, written, logged, clock } = displayOn(false)
    for (clock.ms = 0; clock.ms <= LOG_LINE_MS; clock.ms += 1000) {
      display.show('worker-1', 'loading the model', at(clock.ms / 100))
    }
    display.show('worker-2', 'loading the model', at(400))
    expect(logged).toEqual([
      [{ workerId: 'worker-1', ...at(0).progress }, 'loading the model: 0 % of 400 MiB'],
      [{ workerId: 'worker-1', ...at(50).progress }, 'loading the model: 12 % of 400 MiB'],
      [{ workerId: 'worker-2', ...at(400).progress }, 'loading the model: 100 % of 400 MiB'],
    ])
    display.clear()
    expect(written).toEqual([])
  })

  test.each([
    ['warn', 1],
    ['debug', 1],
    ['error', 0],
    ['silent', 0],
  ])('at the level %s it comes %i times', (level, times) => {
    const lines: string[] = []
    const logger = pino({ level }, { write: (line) => void lines.push(line) })
    progressOnStandardError(logger).show('worker-1', 'loading the model', at(1))
    expect(lines).toHaveLength(times)
  })
})

test('other lines of a worker are left to the log', () => {
  const { display, written, logged } = displayOn(true)
  expect(display.show('worker-1', 'ready', { address: 'x' })).toBe(false)
  expect(display.show('worker-1', 'draining')).toBe(false)
  expect([written, logged]).toEqual([[], []])
})
