import { ServiceError, type TokensAsked } from '@svc/contracts/errors'
import { expect, test } from 'vitest'
import { anthropicError } from './anthropic-error.ts'

test('has the type of the family, our own code and the id of the request', () => {
  const error = new ServiceError('model_not_found', 'No such model.', { param: 'model' })
  expect(anthropicError(error, 'req_1')).toEqual({
    type: 'error',
    error: {
      type: 'not_found_error',
      message: 'No such model.',
      details: { error_code: 'model_not_found' },
    },
    request_id: 'req_1',
  })
})

test.each<[string, TokensAsked, string]>([
  [
    'a prompt that does not fit',
    { prompt: 5000, maxOutput: null, context: 4096 },
    'prompt is too long: 5000 tokens > 4096 maximum',
  ],
  [
    'a prompt that was not counted to its end',
    { prompt: 5000, maxOutput: null, context: 4096, promptIsLonger: true },
    'prompt is too long: 5000 tokens > 4096 maximum (counted no further)',
  ],
  [
    'a prompt that leaves no room for an answer',
    { prompt: 4096, maxOutput: null, context: 4096 },
    'prompt is too long: 4096 tokens > 4095 maximum',
  ],
  [
    'an output that does not fit behind it',
    { prompt: 4000, maxOutput: 500, context: 4096 },
    'input length and `max_tokens` exceed context limit: 4000 + 500 > 4096, ' +
      'decrease input length or `max_tokens` and try again',
  ],
  [
    'an output that never fits',
    { prompt: 10, maxOutput: 32000, context: 4096 },
    'max_tokens: 32000 > 4096, which is the maximum allowed number of output tokens for svc-beta',
  ],
])('%s is told in the words that agents read', (_name, tokens, message) => {
  const error = new ServiceError('context_length_exceeded', 'x', { param: 'messages', tokens })
  expect(anthropicError(error, null).error.message).toBe(message)
})

test('an empty balance is told in our own words, which agents show with the amounts', () => {
  const error = new ServiceError('insufficient_quota', 'It needs $1, there is $0.')
  expect(anthropicError(error, null).error).toMatchObject({
    type: 'billing_error',
    message: 'It needs $1, there is $0.',
  })
})

test('a refused thread is named so that SDKs go on without one', () => {
  const error = new ServiceError('unsupported_parameter', 'thread: none.', { param: 'thread' })
  expect(anthropicError(error, null).error).toMatchObject({
    type: 'invalid_request_error',
    details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  })
})

test('the field at fault is named, once', () => {
  const named = new ServiceError('invalid_value', 'must be text', { param: 'messages[0]' })
  expect(anthropicError(named, null).error.message).toBe('messages[0]: must be text')
  const twice = new ServiceError('invalid_value', 'messages[0] must be text', {
    param: 'messages[0]',
  })
  expect(anthropicError(twice, null).error.message).toBe('messages[0] must be text')
})
