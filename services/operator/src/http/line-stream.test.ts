import { text } from 'node:stream/consumers'
import { ServiceError } from '@svc/contracts/errors'
import { expect, test } from 'vitest'
import { lineStream } from './line-stream.ts'

test('a refusal that comes after the start names its field, as one before it does', async () => {
  async function* lines(): AsyncGenerator<object> {
    yield { type: 'progress' }
    throw new ServiceError('conflict', 'Say up to when.', { param: 'to' })
  }
  expect(await readLines(lines())).toEqual({
    defects: [],
    lines: [
      { type: 'progress' },
      { type: 'error', error: { code: 'conflict', message: 'Say up to when.', param: 'to' } },
    ],
  })
})

test('a defect after the start is told to the log, and its cause not to the reader', async () => {
  const defect = new Error('the index is broken')
  async function* lines(): AsyncGenerator<object> {
    yield { type: 'progress' }
    throw defect
  }
  const read = await readLines(lines())
  expect(read.defects).toEqual([defect])
  expect(read.lines.at(-1)).toMatchObject({ type: 'error', error: { code: 'internal_error' } })
  expect(JSON.stringify(read.lines)).not.toContain('the index is broken')
})

async function readLines(lines: AsyncIterable<object>) {
  const defects: unknown[] = []
  const { signal } = new AbortController()
  const onDefect = (cause: unknown) => void defects.push(cause)
  const stream = await lineStream(lines, () => Promise.resolve(), signal, onDefect)
  const read = (await text(stream)).trim().split('\n')
  return { defects, lines: read.map((line) => JSON.parse(line)) }
}
