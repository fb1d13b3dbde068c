/** When the pieces of work are done that a turn of the event loop puts off. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { BusyTurns } from './busy-turns.ts'

const TURN_MS = 4

let nowMs: number
let turns: BusyTurns
let done: string[]

beforeEach(() => {
  nowMs = 1_000
  turns = new BusyTurns({ nowMs: () => nowMs })
  done = []
})

function putOff(network: string, count: number): void {
  const list = done
  for (let number = 1; number <= count; number += 1) {
    turns.putOff(network, () => list.push(`${network}${number}`))
  }
}

describe('the time of a turn', () => {
  test('begins with its first work', () => {
    expect(turns.isOver()).toBe(false)
    nowMs += TURN_MS - 1
    expect(turns.isOver()).toBe(false)
    nowMs += 1
    expect(turns.isOver()).toBe(true)
  })

  test('begins anew in the next turn, which has another number', async () => {
    turns.isOver()
    const number = turns.number
    nowMs += TURN_MS
    expect([turns.isOver(), turns.number]).toEqual([true, number])
    await nextTurn()
    expect([turns.isOver(), turns.number]).toEqual([false, number + 1])
  })

  test('is not over because the clock was put back', () => {
    turns.isOver()
    nowMs -= 3_600_000
    expect(turns.isOver()).toBe(false)
  })
})

describe('what is put off', () => {
  test('is done in the next turns, four pieces in each, in their order', async () => {
    putOff('a', 6)
    expect(done).toEqual([])
    await nextTurn()
    expect(done).toEqual(['a1', 'a2', 'a3', 'a4'])
    await nextTurn()
    expect(done.slice(4)).toEqual(['a5', 'a6'])
  })

  test('for one address does not wait for all that another left', async () => {
    putOff('a', 20)
    putOff('b', 2)
    await nextTurn()
    expect(done).toEqual(['a1', 'b1', 'a2', 'b2'])
  })

  test('may be put off again', async () => {
    turns.putOff('a', () => putOff('b', 1))
    await nextTurn()
    await nextTurn()
    expect(done).toEqual(['b1'])
  })
})
