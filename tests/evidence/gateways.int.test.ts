/**
 * Two gateways that sign one log with one key, each with views of its own: whoever is shown a
 * checkpoint of one and then one of the other sees one log that goes on.
 *
 *     SVC_TEST_SEED=20261122    the seed of a run that failed
 */
import { openCheckpoint } from '@svc/contracts/evidence/checkpoint'
import { isConsistent } from '@svc/contracts/evidence/merkle-tree'
import { readSignerKey, type SignerKey, signerKeyText } from '@svc/contracts/evidence/signed-note'
import { verifyEvidence } from '@svc/contracts/evidence/verify-evidence'
import type { EventStore, Position } from '@svc/contracts/ports/event-store'
import type { Clock } from '@svc/contracts/ports/time'
import { openEventStoreDb } from '@svc/infra/event-store/eventstoredb/open-eventstoredb'
import { MemoryEventStore, MemoryLog } from '@svc/infra/event-store/memory/memory-event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { SharedPace } from '@svc/infra/system/shared-pace'
import { systemTimer } from '@svc/infra/system/system-timer'
import { Checkpointer } from '@svc/projections/checkpointer'
import { accountEvidence } from '@svc/projections/evidence-export'
import { openProjections, type Projections } from '@svc/projections/open-projections'
import { AccountHistory } from '@svc/testing/account-history'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { Random } from '@svc/testing/random'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describe, expect, onTestFinished, test } from 'vitest'

const seed = Number(process.env.SVC_TEST_SEED ?? 20_261_122)
const START_MS = 1_763_841_600_000
const TREE_WAIT_MS = 60_000
const SHORT_WAIT_MS = 50
const TURNS = 15
/** Each turn waits for both views: on a busy machine that takes seconds. */
const LONG_MS = 300_000
const key = readSignerKey(signerKeyText('svc/shared', Buffer.alloc(32, 9)))
const otherKey = readSignerKey(signerKeyText('svc/shared', Buffer.alloc(32, 10)))

interface Gateway {
  readonly store: EventStore
  readonly projections: Projections
  readonly checkpointer: Checkpointer
}

interface GatewayOptions {
  readonly signer?: SignerKey
  readonly last?: string
  readonly clock?: Clock
  readonly waitMs?: number
}

interface Signed {
  readonly size: number
  readonly note: string
}

/** Connections to one log. */
type Connect = () => Promise<EventStore>

async function memoryLog(): Promise<Connect> {
  const log = new MemoryLog()
  // One object: another one would not notice what is appended past it.
  const store = new MemoryEventStore(log)
  return async () => store
}

async function eventStoreDb(): Promise<Connect> {
  const double = await EventStoreDbDouble.start()
  onTestFinished(() => double.close())
  return async () => {
    const store = await openEventStoreDb({ url: double.url, streamPrefix: 'test.' })
    onTestFinished(() => store.close())
    return store
  }
}

async function gateway(
  connect: Connect,
  { signer = key, last, clock, waitMs = TREE_WAIT_MS }: GatewayOptions = {},
): Promise<Gateway> {
  const store = await connect()
  const projections = await openProjections({
    folder: temporaryFolder(),
    store,
    timer: systemTimer,
    keepFile: durableFile,
    log: { info() {}, warn() {}, error() {} },
  })
  onTestFinished(() => projections.close())
  projections.start()
  const checkpointer = new Checkpointer({
    store,
    last,
    views: projections.views,
    clock: clock ?? { nowMs: () => START_MS },
    keys: { signer, rotations: [], first: signer.verifier.text },
    rotated: (keys) => keys,
    reached: (position: Position) => projections.reached(position, waitMs, 'evidence'),
  })
  return { store, projections, checkpointer }
}

function opened({ note }: Pick<Signed, 'note'>) {
  return openCheckpoint(note, [key.verifier])
}

/** As a customer or a witness who knows the first is shown the second. */
function expectToGoOn(first: Signed, second: Signed, { projections }: Gateway): void {
  const [one, other] = [opened(first), opened(second)]
  expect(other.size).toBeGreaterThanOrEqual(one.size)
  expect(other.time).toBeGreaterThanOrEqual(one.time)
  const proof = projections.views.consistencyProof(one.size, other.size)
  const claim = { first: one.size, second: other.size, firstRoot: one.root }
  expect(isConsistent({ ...claim, secondRoot: other.root, proof })).toBe(true)
}

/** Both sign at once, again and again, while one of them writes. @returns some of what is shown */
async function signInTurns(
  gateways: readonly [Gateway, Gateway],
  random: Random,
): Promise<readonly Signed[]> {
  const account = new AccountHistory('Ada').open()
  const shown: Signed[] = []
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (let more = random.integer(3); more > 0; more -= 1) account.key(`${turn} ${more}`)
    await account.writeTo(random.pick(gateways).store)
    const signed = await Promise.all(gateways.map(({ checkpointer }) => checkpointer.sign()))
    shown.push(...signed.filter(() => random.next() < 0.7))
    // Whoever asks either gateway is told the last one of both.
    const [one, other] = await Promise.all(gateways.map((each) => each.checkpointer.latest()))
    expect(one).toEqual(other)
    if (one !== undefined) shown.push(one)
  }
  return shown
}

describe.each([
  ['in memory', memoryLog],
  ['on EventStoreDB', eventStoreDb],
])('two gateways on one log %s', (_where, open) => {
  test(`sign one sequence, whatever their clocks say (seed ${seed})`, {
    timeout: LONG_MS,
  }, async () => {
    const random = new Random(seed)
    const connect = await open()
    // One clock is far ahead, the other goes back now and then.
    const clocks = [0, 90_000].map((ahead) => ({
      nowMs: () => START_MS + ahead + random.integer(30_000),
    }))
    const [one, two] = await Promise.all(clocks.map((clock) => gateway(connect, { clock })))
    if (one === undefined || two === undefined) throw new Error('no gateways')
    const shown = await signInTurns([one, two], random)
    const inOrder = shown.toSorted((a, b) => a.size - b.size || opened(a).time - opened(b).time)
    for (const [index, each] of inOrder.slice(1).entries()) {
      expectToGoOn(inOrder[index] ?? each, each, index % 2 === 0 ? one : two)
    }
    const trees = [one, two].map(({ projections: { views } }) => {
      return { size: views.treeSize(), root: views.treeRoot(views.treeSize()) }
    })
    expect(trees[0]).toEqual(trees[1])
    // The checkpoints themselves stand in the log, and are no leaves.
    const events = await one.store.readAll({ after: -1n, limit: 10_000 })
    const checkpoints = events.filter(({ stream }) => stream === 'checkpoints-svc/shared')
    expect(checkpoints.every(({ type }) => type === 'CheckpointSigned')).toBe(true)
    expect(events.length - checkpoints.length).toBe(trees[0]?.size)
    const sizes = checkpoints.map(({ data }) => opened(JSON.parse(data)).size)
    expect(sizes).toEqual([...new Set(sizes)].toSorted((a, b) => a - b))
  })

  test('one gives a file that goes on from what the other has signed', async () => {
    const connect = await open()
    const [one, two] = [await gateway(connect), await gateway(connect)]
    const account = new AccountHistory('Ada').open()
    await account.writeTo(one.store)
    await one.checkpointer.sign()
    await new AccountHistory('Bob').open().writeTo(two.store)
    const known = await two.checkpointer.sign()
    const { store, projections, checkpointer: checkpoints } = one
    await projections.reached(await store.lastPosition(), TREE_WAIT_MS)
    const sources = { store, views: projections.views, checkpoints, pace: new SharedPace() }
    const since = [known.size]
    const chunks: Buffer[] = []
    for await (const text of accountEvidence(sources, account.accountId, { since })) {
      chunks.push(Buffer.from(text))
    }
    const given = { key: key.verifier.text, checkpoint: known.note }
    const verdict = await verifyEvidence(chunks, given)
    expect(verdict).toMatchObject({ verdict: 'ok', events: 3 })
  })

  test('sign nothing when nothing has come', async () => {
    const connect = await open()
    const [one, two] = [await gateway(connect), await gateway(connect)]
    await new AccountHistory('Ada').open().writeTo(one.store)
    const first = await one.checkpointer.sign()
    const last = await one.store.lastPosition()
    for (const { checkpointer } of [one, two, one]) {
      expect(await checkpointer.sign()).toEqual(first)
      expect(await checkpointer.covering(first.size)).toEqual(first)
    }
    expect(await two.store.lastPosition()).toBe(last)
  })

  test('with two keys of one name: the second signs nothing', async () => {
    const connect = await open()
    const [one, two] = [await gateway(connect), await gateway(connect, { signer: otherKey })]
    await new AccountHistory('Ada').open().writeTo(one.store)
    await one.checkpointer.sign()
    const refusal = { code: 'evidence_contradicted' }
    await expect(two.checkpointer.sign()).rejects.toMatchObject(refusal)
    await expect(two.checkpointer.latest()).rejects.toMatchObject(refusal)
    await expect(two.checkpointer.rotate()).rejects.toMatchObject(refusal)
  })

  test('a log that is not what was signed before is not signed', async () => {
    const whole = await gateway(await open())
    const account = new AccountHistory('Ada').open()
    await account.writeTo(whole.store)
    const { note: short } = await whole.checkpointer.sign()
    account.key('more')
    await account.writeTo(whole.store)
    const { note: long } = await whole.checkpointer.sign()

    const older = await open()
    await new AccountHistory('Ada').open().writeTo(await older())
    const restored = await gateway(older, { last: long })
    await expect(restored.checkpointer.sign()).rejects.toMatchObject({
      code: 'evidence_contradicted',
      message: expect.stringContaining('checkpoint 4'),
    })
    // Nothing of it is in the log, whoever asks and however often.
    await expect(restored.checkpointer.covering(1)).rejects.toThrow('does not hold any more')
    expect(await restored.checkpointer.latest()).toBeUndefined()
    expect((await (await gateway(older, { last: short })).checkpointer.sign()).size).toBe(3)

    const another = await open()
    await new AccountHistory('Bob').open().writeTo(await another())
    const rewritten = await gateway(another, { last: short })
    await expect(rewritten.checkpointer.sign()).rejects.toThrow('checkpoint 3 does not hold')
  })
})

test('a tree that is behind signs nothing', async () => {
  const connect = await memoryLog()
  const { checkpointer, store, projections } = await gateway(connect, {
    waitMs: SHORT_WAIT_MS,
  })
  await new AccountHistory('Ada').open().writeTo(store)
  await projections.close()
  await expect(checkpointer.sign()).rejects.toMatchObject({ code: 'view_behind' })
  expect(await checkpointer.latest()).toBeUndefined()
})

test('a checkpoint whose append has an unknown outcome is handed out only once it stands there', async () => {
  const connect = await memoryLog()
  const store = await connect()
  let written = true
  const doubtful: EventStore = {
    append: async (request) => {
      if (written) await store.append(request)
      written = !written
      return { kind: 'unknown', cause: new Error('the line was cut') }
    },
    readStream: (request) => store.readStream(request),
    readAll: (request) => store.readAll(request),
    readAllBackwards: (request) => store.readAllBackwards(request),
    lastPosition: () => store.lastPosition(),
    subscribe: (request) => store.subscribe(request),
    close: async () => {},
  }
  await new AccountHistory('Ada').open().writeTo(store)
  const { checkpointer } = await gateway(async () => doubtful)
  const signed = await checkpointer.sign()
  expect(signed).toEqual(await checkpointer.latest())
  expect(signed.size).toBe(3)
})
