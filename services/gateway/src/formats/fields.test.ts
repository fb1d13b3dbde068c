import type { ServiceError } from '@svc/contracts/errors'
import { expect, test } from 'vitest'
import { parseChatRequest } from './chat/parse.ts'

const longName = 'k'.repeat(1_000_000)

test.each(['metadata', 'logit_bias'])('%s: a long name is shown cut in the refusal', (field) => {
  const messages = [{ role: 'user', content: 'hi' }]
  const refused = refusalOf({ model: 'svc-beta', messages, [field]: { [longName]: 'a' } })
  const shown = `${field}.${'k'.repeat(64)}…`
  expect(refused.param).toBe(shown)
  expect(refused.message).toContain(`'${shown}'`)
  expect(refused.message.length).toBeLessThan(200)
})

test('a name that is cut holds no half of a character', () => {
  const messages = [{ role: 'user', content: 'hi' }]
  const metadata = { [`${'k'.repeat(63)}🙂${longName}`]: 'a' }
  const refused = refusalOf({ model: 'svc-beta', messages, metadata })
  expect(refused.param).toBe(`metadata.${'k'.repeat(63)}\uFFFD…`)
  expect(refused.message.isWellFormed()).toBe(true)
})

function refusalOf(body: Parameters<typeof parseChatRequest>[0]): ServiceError {
  try {
    parseChatRequest(body)
  } catch (error) {
    return error as ServiceError
  }
  throw new Error('the body was not refused')
}
