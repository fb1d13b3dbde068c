/**
 * `SVC_HISTORIES` simulated histories, each from a seed of its own: no invariant breaks, whatever
 * fails. And every planted bug is found, or a history that holds would prove nothing.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { collectGarbage } from '@svc/testing/collect-garbage'
import { until } from '@svc/testing/until'
import { describe, expect, test } from 'vitest'
import { plantedBugs } from './bugs/planted-bugs.ts'
import { playHistory } from './history.ts'
import { findBug, type SimulationSummary, simulate } from './simulate.ts'

const HISTORIES = Number(process.env.SVC_HISTORIES ?? 200)
const SEED = Number(process.env.SVC_HISTORIES_SEED ?? Date.now() % 2 ** 31)
const MOST_PER_HISTORY_MS = 200
/** Among this many histories each bug shows; nearly all of them among the first ten. */
const HISTORIES_FOR_A_BUG = 400

test(
  `${HISTORIES} histories from seed ${SEED} on break no invariant`,
  async () => {
    process.stderr.write(`simulated histories from seed ${SEED} on\n`)
    const {
      failures,
      answers,
      process_deaths: deaths,
    } = await simulate({
      histories: HISTORIES,
      seed: SEED,
    })
    expect(failures).toEqual([])
    // The histories must reach what they are about.
    expect(answers).toBeGreaterThan(HISTORIES)
    expect(deaths).toBeGreaterThan(HISTORIES / 10)
  },
  60_000 + HISTORIES * MOST_PER_HISTORY_MS,
)

/** Each broke an invariant once. */
test.each([
  // The last look of a session that had failed was answered when the next one had sent again.
  8401200,
  // A broker died with acknowledged records, and what a dead relay had sent it arrived later.
  46530,
])('history %i breaks no invariant any more', async (seed) => {
  expect((await playHistory(seed)).problems).toEqual([])
})

test('a seed gives the same history, event by event, and another seed another one', async () => {
  const first = await playHistory(7)
  expect(await playHistory(7)).toEqual(first)
  expect((await playHistory(8)).digest).not.toBe(first.digest)
})

test('of a history that is over nothing is kept in memory', async () => {
  const worlds: WeakRef<object>[] = []
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    let isKnown = false
    await playHistory(seed, {
      onCommit({ server }) {
        if (!isKnown) worlds.push(new WeakRef(server))
        isKnown = true
      },
    })
  }
  expect(worlds).toHaveLength(8)
  // What is on the stack of this moment is kept by one collection, and not by all.
  await until(async () => {
    await collectGarbage()
    return worlds.every((world) => world.deref() === undefined)
  })
})

test('a simulation that is stopped ends with the history that it plays, and counts', async () => {
  const program = fileURLToPath(new URL('./simulate.ts', import.meta.url))
  const args = [program, '--histories', '1000000', '--seed', '1', '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = Promise.all([text(child.stdout), once(child, 'exit')])
  await once(child.stderr, 'data')
  child.kill('SIGTERM')
  const [output, exit] = await ended
  const { histories, failures } = JSON.parse(output) as SimulationSummary
  expect(exit).toEqual([0, null])
  expect(histories).toBeGreaterThan(0)
  expect(histories).toBeLessThan(1_000_000)
  expect(failures).toEqual([])
})

describe('a planted bug is found', () => {
  test('and there are enough of them', () => {
    expect(Object.keys(plantedBugs).length).toBeGreaterThanOrEqual(15)
  })

  test.each(Object.entries(plantedBugs))('%s', async (_name, bug) => {
    const found = await findBug(bug, { histories: HISTORIES_FOR_A_BUG, seed: 1 })
    expect(found?.problems).not.toHaveLength(0)
    expect(found).toBeDefined()
  })
})
