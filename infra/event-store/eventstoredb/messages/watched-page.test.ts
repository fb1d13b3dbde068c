import { expect, test } from 'vitest'
import { CAUGHT_UP, LOOKED_AT_EVENTS } from './read-messages.ts'
import type { ServerEvent } from './server-event.ts'
import { WatchedPage } from './watched-page.ts'

const UNTIL = 1_000n
const eventAt = (position: bigint) => ({ position }) as ServerEvent
const lookedUpTo = (position: bigint) => ({ lookedUpTo: position })

function pageOf(limit: number) {
  const told: number[] = []
  const onPassedOver = (events: number): void => void told.push(events)
  return { page: new WatchedPage({ until: UNTIL, onPassedOver }, limit), told }
}

test.each([
  ['with as many events as were asked for', [eventAt(10n), eventAt(20n)]],
  ['with the last event that was there', [eventAt(UNTIL)]],
  ['when all was looked at that was there', [lookedUpTo(500n), lookedUpTo(UNTIL)]],
  ['when the server has sent all', [eventAt(10n), CAUGHT_UP]],
] as const)('a page ends %s', (_what, answers) => {
  const { page } = pageOf(2)
  const ends = answers.map((answer) => page.isEndedBy(answer))
  expect(ends).toEqual(answers.map((_, at) => at === answers.length - 1))
})

test('what was looked at and not let through was passed over', () => {
  const { page, told } = pageOf(1_000)
  page.isEndedBy(eventAt(10n))
  page.isEndedBy(lookedUpTo(100n))
  page.isEndedBy(lookedUpTo(200n))
  // The filter lets through all that the server looks at next.
  for (let at = 0; at < LOOKED_AT_EVENTS; at += 1) page.isEndedBy(eventAt(201n + BigInt(at)))
  page.isEndedBy(lookedUpTo(900n))
  expect(told).toEqual([LOOKED_AT_EVENTS - 1, LOOKED_AT_EVENTS])
})
