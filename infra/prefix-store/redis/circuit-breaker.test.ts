import { beforeEach, describe, expect, test } from 'vitest'
import { CircuitBreaker, FAILURES_MAX, OPEN_MS } from './circuit-breaker.ts'

describe('a circuit breaker', () => {
  let nowMs = 0
  let breaker: CircuitBreaker
  beforeEach(() => {
    nowMs = 1_800_000_000_000
    breaker = new CircuitBreaker({ nowMs: () => nowMs })
  })
  const fail = (times: number) => {
    for (let at = 0; at < times; at += 1) {
      expect(breaker.admit()).toBe(true)
      breaker.failed()
    }
  }

  test('lets calls pass until several in a row have failed', () => {
    fail(FAILURES_MAX - 1)
    expect(breaker.isClosed).toBe(true)
    fail(1)
    expect(breaker.isClosed).toBe(false)
    expect(breaker.admit()).toBe(false)
  })

  test('counts anew after a success', () => {
    fail(FAILURES_MAX - 1)
    breaker.succeeded()
    fail(FAILURES_MAX - 1)
    expect(breaker.isClosed).toBe(true)
  })

  test('opens at once when a call took too long', () => {
    breaker.timedOut()
    expect(breaker.isClosed).toBe(false)
    expect(breaker.admit()).toBe(false)
  })

  test('lets one call find out whether the server is back, after a while', () => {
    breaker.timedOut()
    nowMs += OPEN_MS - 1
    expect(breaker.admit()).toBe(false)
    nowMs += 1
    expect([breaker.admit(), breaker.admit(), breaker.admit()]).toEqual([true, false, false])
    breaker.succeeded()
    expect(breaker.isClosed).toBe(true)
    expect([breaker.admit(), breaker.admit()]).toEqual([true, true])
  })

  test.each(['failed', 'timedOut', 'lost'] as const)('stays open when the probe %s', (outcome) => {
    breaker.timedOut()
    nowMs += OPEN_MS
    expect(breaker.admit()).toBe(true)
    breaker[outcome]()
    nowMs += OPEN_MS - 1
    expect(breaker.admit()).toBe(false)
    nowMs += 1
    expect(breaker.admit()).toBe(true)
  })

  test('does not mind lost connections, however many calls were under way', () => {
    for (let call = 0; call < 100; call += 1) {
      expect(breaker.admit()).toBe(true)
      breaker.lost()
    }
  })

  test('hears no more of calls that were made before it opened', () => {
    for (let call = 0; call < 4; call += 1) expect(breaker.admit()).toBe(true)
    breaker.timedOut()
    nowMs += OPEN_MS - 1
    breaker.timedOut()
    breaker.failed()
    breaker.lost()
    breaker.succeeded()
    expect(breaker.isClosed).toBe(false)
    nowMs += 1
    expect(breaker.admit()).toBe(true)
  })
})
