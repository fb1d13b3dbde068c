import { text } from 'node:stream/consumers'
import { ServiceError } from '@svc/contracts/errors'
import { expect, test } from 'vitest'
import { lineStream } from './line-stream.ts'

test('a refusal that comes after the start names its field, as one before it does', async () => {
  async function* lines(): AsyncGenerator<object> {
    yield { type: 'progress' }
    throw new ServiceError('conflict', 'Say up to when.', { param: 'to' })
  }
  const { signal } = new AbortController()
  const stream = await lineStream(lines(), () => Promise.resolve(), signal)
  const read = (await text(stream)).trim().split('\n')
  expect(read.map((line) => JSON.parse(line))).toEqual([
    { type: 'progress' },
    { type: 'error', error: { code: 'conflict', message: 'Say up to when.', param: 'to' } },
  ])
})
