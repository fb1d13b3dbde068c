/** In which state a connection is, and which one makes room. */
import { Socket } from 'node:net'
import { beforeEach, expect, test } from 'vitest'
import { NetworkShare } from './network-share.ts'

let share: NetworkShare
beforeEach(() => {
  share = new NetworkShare('192.0.2.1')
})

test('a connection is silent until it asks, and again when it was answered with errors', () => {
  const connection = share.add(new Socket())
  expect(connection.state).toBe('silent')
  share.asks(connection)
  share.asks(connection)
  share.answered(connection, false)
  expect([connection.state, share.longestSilent()]).toEqual(['asking', undefined])
  share.answered(connection, false)
  expect([connection.state, share.longestSilent()]).toEqual(['silent', connection])
})

test('a connection that was served once rests, whatever it is answered later', () => {
  const connection = share.add(new Socket())
  for (const withoutError of [true, false]) {
    share.asks(connection)
    share.answered(connection, withoutError)
    expect([connection.state, share.unserved]).toEqual(['resting', 0])
  }
  expect([share.longestSilent(), share.firstToCut()]).toEqual([undefined, connection])
})

test('the one that is silent for longest makes room first', () => {
  const [first, second] = [share.add(new Socket()), share.add(new Socket())]
  share.asks(first)
  share.answered(first, false)
  expect(share.longestSilent()).toBe(second)
})

test.each(['displaced', 'closed'] as const)('one that is %s is counted no more', (state) => {
  const connection = share.add(new Socket())
  share.asks(connection)
  expect(share.remove(connection, state)).toBe(true)
  expect(share.remove(connection, 'closed')).toBe(false)
  share.answered(connection, true)
  expect([connection.state, connection.isCounted]).toEqual([state, false])
  expect([share.size, share.unserved, share.firstToCut()]).toEqual([0, 0, undefined])
})
