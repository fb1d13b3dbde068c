import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { ask } from './question.ts'

test.each([
  ['y', 'y\r', 'yes'],
  ['YES', 'YES\r', 'yes'],
  ['n', 'n\r', 'no'],
  ['nothing', '\r', 'no'],
  ['another word', 'yesterday\r', 'no'],
  ['Ctrl-D', '\u0004', 'no'],
  ['Ctrl-C', '\u0003', 'interrupted'],
  ['Ctrl-C behind a yes', 'y\u0003', 'interrupted'],
])('%s is an answer', async (_name, keys, answer) => {
  const input = new PassThrough()
  const asked = ask(input, new PassThrough(), 'End it for ever?')
  input.write(keys)
  expect(await asked).toBe(answer)
})

test('an input that ends without an answer is a no', async () => {
  const input = new PassThrough()
  const asked = ask(input, new PassThrough(), 'End it for ever?')
  input.end()
  expect(await asked).toBe('no')
})
