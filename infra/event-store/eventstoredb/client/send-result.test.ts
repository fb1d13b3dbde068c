import { describe, expect, test } from 'vitest'
import { AppendRefusedError } from '../messages/append-refusal.ts'
import { notSent, sendResultOf } from './send-result.ts'
import { ClientRetiredError, isDiscoveryFailure, ServerTimeoutError } from './server-failure.ts'

const clientError = (type: string, code?: number, message = '') =>
  Object.assign(new Error(message), { type, code })
const plainError = (message: string, code?: number) =>
  Object.assign(new Error(message), code === undefined ? {} : { code })

const refused = (name: string) => new AppendRefusedError(`event_store.client.${name}`, '')

describe('the rejection of an append', () => {
  test.each([
    ['another revision', clientError('wrong-expected-version'), 'wrong-expected-revision'],
    ['too many bytes', clientError('maximum-append-size-exceeded'), 'not-written'],
    ['a deleted stream', clientError('stream-deleted'), 'not-written'],
    ['no access', clientError('access-denied', 7), 'not-written'],
    ['no access, by its code', clientError('access-denied', 16), 'not-written'],
    ['no connection', plainError('14 UNAVAILABLE: connect ECONNREFUSED', 14), 'not-written'],
    ['no node', plainError('Failed to discover after 10 attempts.'), 'not-written'],
    ['a dropped connection', clientError('unavailable', 14, 'read ECONNRESET'), 'unknown'],
    ['a graceful stop', clientError('unknown', 13, 'Received RST_STREAM with code 0'), 'unknown'],
    ['a disposed client', clientError('unknown', 1, 'Cancelled on client'), 'unknown'],
    ['the deadline of the server', clientError('deadline-exceeded'), 'unknown'],
    ['no leader', clientError('not-leader', 5, 'Leader info available'), 'unknown'],
    [
      'not ready',
      clientError('unknown', undefined, 'Could not recognize Server Is Not Ready'),
      'unknown',
    ],
    ['a full message', clientError('unknown', 8, 'RESOURCE_EXHAUSTED'), 'unknown'],
    ['an answer: another revision', refused('WrongExpectedVersion'), 'wrong-expected-revision'],
    ['an answer: too many bytes', refused('MaximumAppendSizeExceeded'), 'not-written'],
    ['an answer: a deleted stream', refused('StreamDeleted'), 'not-written'],
    ['an answer: no access', refused('AccessDenied'), 'not-written'],
    ['an answer: its time is over', refused('Timeout'), 'unknown'],
    ['an answer: not ready', refused('NotReady'), 'unknown'],
    ['our timer', new ServerTimeoutError('an append', 5_000), 'unknown'],
    ['a retired client', new ClientRetiredError(), 'unknown'],
    ['a defect of the client', new TypeError('undefined is not iterable'), 'unknown'],
    ['something else', 'text', 'unknown'],
  ])('%s', (_what, error, kind) => {
    expect(sendResultOf(error).kind).toBe(kind)
  })

  test('before anything was sent: nothing is written, whatever it was', () => {
    expect(notSent(new ClientRetiredError())).toMatchObject({ reason: 'unreachable' })
    expect(notSent(clientError('access-denied', 16))).toMatchObject({ reason: 'access-denied' })
  })

  test('tells the failed search for a node from other failures', () => {
    expect(isDiscoveryFailure(new Error('Failed to discover after 1000 attempts.'))).toBe(true)
    expect(isDiscoveryFailure(new Error('Failed to discover'))).toBe(false)
  })
})
