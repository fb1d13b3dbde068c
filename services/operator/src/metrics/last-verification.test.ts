/** What metrics tell of the last verification of the log. */
import { noQuarantine } from '@svc/contracts/ports/quarantine'
import { healthyStore } from '@svc/contracts/ports/store-health'
import { expect, test } from 'vitest'
import { Exposition } from '../../testing/exposition.ts'
import { createMetrics, type MetricsSources } from './metrics.ts'

const NOW_MS = Date.UTC(2026, 10, 27)

const sources: MetricsSources = {
  fleet: { workers: [] },
  supervised: () => undefined,
  projections: {
    lastStatus: () => [],
    views: { accountTotals: () => ({ accounts: 0, openRequests: 0 }), holds: () => [] },
  },
  store: { lastPosition: async () => 0n },
  storeHealth: healthyStore,
  feed: undefined,
  quarantine: noQuarantine,
  clock: { nowMs: () => NOW_MS },
  isReady: async () => true,
  freeBytes: async () => 1,
  auditTrail: { lastVerification: async () => undefined },
}

const scrapeOf = async (changed: Partial<MetricsSources>) =>
  new Exposition(await createMetrics({ ...sources, ...changed }).text())

const nothing = {
  broken: 0,
  unreadable: 0,
  setAside: 0,
  missingPositions: 0,
  contradicted: 0,
  textsAltered: 0,
  textsMissing: 0,
  textsUnfinished: 0,
}
const verified = {
  at: NOW_MS,
  actor: 'operator',
  position: '42',
  from: null,
  streams: 3,
  events: 43,
  head: null,
  anchor: null,
  found: nothing,
}
const told = (figures: Exposition) => [
  figures.value('svc_last_verification_timestamp_seconds'),
  figures.value('svc_last_verification_ok'),
]
const toldOf = async (lastVerification: MetricsSources['auditTrail']['lastVerification']) =>
  told(await scrapeOf({ auditTrail: { lastVerification } }))

test('the last verification is told by its time and by what came out', async () => {
  expect(await toldOf(async () => verified)).toEqual([NOW_MS / 1_000, 1])
  const found = { ...nothing, broken: 1 }
  expect(await toldOf(async () => ({ ...verified, found }))).toEqual([NOW_MS / 1_000, 0])
})

test('the last verification is 0 before the first one, which found nothing bad either', async () => {
  expect(await toldOf(async () => undefined)).toEqual([0, undefined])
})

test('the last verification is left out while nobody knows', async () => {
  const away = () => Promise.reject(new Error('the store is away'))
  expect(await toldOf(away)).toEqual([undefined, undefined])
})

test('the last verification is asked for once a minute, and stays known while the log is away', async () => {
  let [nowMs, asked, isAway] = [NOW_MS, 0, false]
  const lastVerification = async () => {
    asked += 1
    if (isAway) throw new Error('the store is away')
    return { ...verified, at: NOW_MS + asked }
  }
  const clock = { nowMs: () => nowMs }
  const watched = createMetrics({ ...sources, clock, auditTrail: { lastVerification } })
  const look = async () => told(new Exposition(await watched.text()))
  expect(await look()).toEqual([(NOW_MS + 1) / 1_000, 1])
  nowMs += 59_999
  expect(await look()).toEqual([(NOW_MS + 1) / 1_000, 1])
  nowMs += 1
  expect(await look()).toEqual([(NOW_MS + 2) / 1_000, 1])
  nowMs += 60_000
  isAway = true
  expect(await look()).toEqual([(NOW_MS + 2) / 1_000, 1])
  expect(asked).toBe(3)
})
