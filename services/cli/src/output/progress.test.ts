import { expect, test } from 'vitest'
import { Context } from '../context/context.ts'
import type { Terminal } from '../context/terminal.ts'
import { drawnResult, passedOverText } from './progress.ts'

/** A person's terminal, with what was written to it. */
function watched(stop = new AbortController().signal) {
  const written: string[] = []
  const terminal: Terminal = {
    environment: {},
    columns: undefined,
    outIsTerminal: true,
    errIsTerminal: true,
    canAsk: false,
    interrupted: false,
    stop,
    catchInterrupt() {},
    watchReader: () => () => {},
    out: async () => {},
    err: (text) => void written.push(text),
    confirm: async () => false,
  }
  return { context: new Context(terminal, { color: 'never' }), written }
}

type TestLine = { readonly type: 'progress' } | { readonly type: 'result'; readonly is: number }

const work = { shown: () => [0.5, 'half'] as const, interrupted: 'interrupted' }

/** Progress is drawn when a tenth of a second has passed since the last. */
async function* progressThen(end: () => TestLine): AsyncGenerator<TestLine> {
  await new Promise((later) => setTimeout(later, 110))
  yield { type: 'progress' }
  yield end()
}

test('a message comes on a line of its own when the work fails behind some progress', async () => {
  const { context, written } = watched()
  const lines = progressThen(() => {
    throw new Error('disk full')
  })
  await expect(drawnResult(context, lines, work)).rejects.toThrow('disk full')
  expect(written).toEqual(['\r50%  half\u001b[K', '\n'])
})

test('work that has ended when it was to be interrupted has its result', async () => {
  const stop = new AbortController()
  const { context } = watched(stop.signal)
  const lines = progressThen(() => {
    stop.abort()
    return { type: 'result', is: 7 }
  })
  expect(await drawnResult(context, lines, work)).toEqual({ type: 'result', is: 7 })
})

test('events of others are told only where there are any', () => {
  expect(`22 events${passedOverText(0)}`).toBe('22 events')
  expect(`22 events${passedOverText(100_000)}`).toBe('22 events, 100000 of others passed over')
})
