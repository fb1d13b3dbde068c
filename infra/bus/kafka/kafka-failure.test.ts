import { expect, test } from 'vitest'
import { failureOf } from './kafka-failure.ts'

const DENIED = 'TOPIC_AUTHORIZATION_FAILED'
const denied = () => Object.assign(new Error('denied'), { type: DENIED })

test.each([
  ['by itself', denied()],
  ['as a cause', new Error('given up', { cause: denied() })],
  ['among the topics that could not be made', Object.assign(new Error(), { errors: [denied()] })],
])('a right that is missing is told with what it may be: %s', (_, error) => {
  const failure = failureOf(error)
  expect(failure.name).toBe('BusRefusedError')
  expect(failure.message).toMatch(/^Kafka refuses: TOPIC_AUTHORIZATION_FAILED: .*DescribeConfigs/)
})
