/**
 * A ledger that goes to EventStoreDB and comes back, killed on the way: nothing of it changes.
 *
 *     SVC_MIGRATE_EVENTS=1000000 SVC_MIGRATE_KILLS=20    as much of it as you like
 *     SVC_TEST_SEED=20261123                            the seed of a run that failed
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { noCrashPoints } from '@svc/contracts/crash-points'
import { jsonText } from '@svc/contracts/json-text'
import { START } from '@svc/contracts/ports/event-store'
import type { TextStore } from '@svc/contracts/ports/text-store'
import { openEventStoreDb } from '@svc/infra/event-store/eventstoredb/open-eventstoredb'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { systemTimer } from '@svc/infra/system/system-timer'
import { openSqliteTextStore } from '@svc/infra/text-store/sqlite/sqlite-text-store'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { moveLedger } from '@svc/server/migration/ledger-move'
import { openDataFolder } from '@svc/server/open-data-folder'
import { runProgram } from '@svc/testing/child-process'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { Random } from '@svc/testing/random'
import { svc } from '@svc/testing/run-svc'
import { ServerProcess } from '@svc/testing/server-process'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Business, makeBusiness } from './business.ts'

const seed = Number(process.env.SVC_TEST_SEED ?? 20_261_123)
const EVENTS = Number(process.env.SVC_MIGRATE_EVENTS ?? 3_000)
const KILLS = Number(process.env.SVC_MIGRATE_KILLS ?? 3)
const PAGE_EVENTS = 1_000
const LONG_MS = 3_600_000
const DOUBLE = new URL('../support/eventstoredb/main.ts', import.meta.url)
const PROGRAM = new URL('move-program.ts', import.meta.url)

/** Where a move is cut off: each plan is met, because those before it left that part undone. */
function killPlans(random: Random): readonly string[] {
  const third = Math.floor(KILLS / 3)
  const edge = Math.min(third, START_POINTS.length)
  const inCopy = KILLS - 2 * edge
  const passesMax = Math.max(1, Math.floor(EVENTS / PAGE_EVENTS / (inCopy + 1)))
  return [
    ...some(START_POINTS, edge, random).map((point) => `migrate.${point}:1`),
    ...Array.from({ length: inCopy }, () => `migrate.copied:${1 + random.integer(passesMax)}`),
    ...some(END_POINTS, edge, random).map((point) => `migrate.${point}:1`),
  ]
}

const START_POINTS = ['begun', 'marked', 'texts-copied'] as const
const END_POINTS = ['compared', 'renamed', 'placed'] as const

/** In their order. */
function some(points: readonly string[], count: number, random: Random): readonly string[] {
  const left = [...points]
  while (left.length > count) left.splice(random.integer(left.length), 1)
  return left
}

/** @returns what the operator is shown of all money, and whether the log verifies */
async function shown(path: string, url?: string, streamPrefix = 'svc.'): Promise<string> {
  const place =
    url === undefined
      ? ({ kind: 'sqlite' } as const)
      : ({ kind: 'eventstoredb', url, streamPrefix, readyWithinMs: 30_000 } as const)
  const { operations, close } = await openDataFolder(path, { place })
  try {
    let events = 0
    for await (const line of operations.verify({})) {
      if (line.type !== 'result') continue
      expect(line.broken).toEqual([])
      events = line.events
    }
    return jsonText({ accounts: await operations.listAccounts({ limit: 100 }), events })
  } finally {
    await close()
  }
}

/** Kills the move as planned, then lets it finish. @returns what the last call says */
async function moved(
  path: string,
  to: 'eventstoredb' | 'sqlite',
  url: string,
  plans: readonly string[],
  onKilled: () => Promise<void> = async () => {},
): Promise<unknown> {
  for (const plan of plans) {
    const program = runProgram(PROGRAM, [path, to, url], { env: { SVC_CRASH_POINT: plan } })
    expect([plan, await program.ended]).toEqual([plan, 'SIGKILL'])
    const way = to === 'sqlite' ? 'from' : 'to'
    const said = new RegExp(`${way} the EventStoreDB at .* svc migrate --to ${to}`)
    expect(() => new DataFolder(path).check()).toThrow(said)
    await onKilled()
  }
  const program = runProgram(PROGRAM, [path, to, url])
  await program.printed(1)
  return JSON.parse(program.lines[0] ?? '')
}

const openServer = (url: string, streamPrefix = 'svc.') => openEventStoreDb({ url, streamPrefix })

/** @returns the address of an EventStoreDB that ends with the test */
async function startServer(): Promise<string> {
  const double = runProgram(DOUBLE, [])
  onTestFinished(async () => {
    double.child.kill('SIGKILL')
    await double.ended
  })
  await double.printed(1)
  const [url = ''] = double.lines
  return url
}

async function textsOf(store: Pick<TextStore, 'find'>, { words }: Business) {
  const found = await store.find(words.keys())
  for (const { isIntact } of found.values()) expect(isIntact).toBe(true)
  return new Map([...words.keys()].map((word) => [word, found.get(word)?.text]))
}

describe(`with ${EVENTS} events and ${KILLS} kills each way`, () => {
  test('a ledger goes to EventStoreDB and comes back as it was', { timeout: LONG_MS }, async () => {
    const random = new Random(seed)
    const path = temporaryFolder()
    const business = await makeBusiness(path, EVENTS, random)
    const before = await shown(path)
    const url = await startServer()

    let refused = 0
    const there = await moved(path, 'eventstoredb', url, killPlans(random), async () => {
      const opening = openServer(url)
      await opening.then(
        (store) => store.close(),
        (error: unknown) => {
          expect(error).toMatchObject({ code: 'half-moved' })
          refused += 1
        },
      )
    })
    // Before the first mark there is an empty server, and at the end a whole one.
    expect(refused).toBeGreaterThanOrEqual(KILLS - 2)
    expect(there).toMatchObject({ events: business.events })
    expect(readdirSync(path)).not.toContain('ledger.db')
    const kept = readdirSync(join(path, 'before-migration'))
    expect(kept).toEqual(expect.arrayContaining(['ledger.db', 'texts.db']))
    expect(await shown(path, url)).toBe(before)
    const server = await openServer(url)
    expect(await textsOf(server.texts, business)).toEqual(business.words)
    const late = await server.texts.keep('acct_many', 'kept on the server')
    await server.close()

    const back = await moved(path, 'sqlite', url, killPlans(random))
    expect(back).toMatchObject({ events: business.events })
    expect(readdirSync(path)).not.toContain('eventstoredb.json')
    await expect(openServer(url)).rejects.toMatchObject({ code: 'half-moved' })
    expect(await shown(path)).toBe(before)
    const texts = openSqliteTextStore(new DataFolder(path).textsFile, { onFatal: () => {} })
    const words = new Map([...business.words, [late, 'kept on the server']])
    expect(await textsOf(texts, { ...business, words })).toEqual(words)
    await texts.close()
  })
})

const FEW_EVENTS = 300

describe('the feed of a ledger that is moved', () => {
  const topic = { topic: 'svc.ledger', witness: null, ends: [3n, 4n], lost: null }

  test.each([
    ['from the end of the log, when all was sent', (last: bigint) => last, (last: bigint) => last],
    ['from the beginning, when less than a page was sent', () => 7n, () => START],
  ])('goes on %s', async (_, sentOf, expectedOf) => {
    const path = temporaryFolder()
    await makeBusiness(path, FEW_EVENTS, new Random(seed))
    const { feed, ledgerFile } = new DataFolder(path)
    const file = openSqliteEventStore(ledgerFile, { onFatal: () => {} })
    feed.write({ ...topic, position: sentOf(await file.lastPosition()) })
    await file.close()
    const url = await startServer()
    // The last step is done once more, and finds what it did before.
    await moved(path, 'eventstoredb', url, ['migrate.placed:1'])
    const server = await openServer(url)
    expect(feed.read()).toEqual({ ...topic, position: expectedOf(await server.lastPosition()) })
    await server.close()
  })
})

describe('a move whose server goes away', () => {
  test('waits for one that is soon there again, while it reads the log', async () => {
    const path = temporaryFolder()
    await makeBusiness(path, FEW_EVENTS, new Random(seed))
    const before = await shown(path)
    const double = await EventStoreDbDouble.start()
    onTestFinished(() => double.close())
    await moved(path, 'eventstoredb', double.url, [])
    const restart = async () => {
      await double.kill()
      await delay(500)
      await double.restart()
    }
    let restarted: Promise<void> | undefined
    await moveLedger({
      folder: new DataFolder(path),
      to: 'sqlite',
      server: {
        kind: 'eventstoredb',
        url: double.url,
        streamPrefix: 'svc.',
        readyWithinMs: 30_000,
      },
      timer: systemTimer,
      reach: (point) => {
        if (point === 'migrate.copied') restarted ??= restart()
      },
      warn: () => {},
      report: () => {},
      signal: new AbortController().signal,
      gatewaysNoticeMs: 0,
    })
    await restarted
    expect(await shown(path)).toBe(before)
  })

  test('says that the same command goes on', async () => {
    const path = temporaryFolder()
    await makeBusiness(path, FEW_EVENTS, new Random(seed))
    const double = await EventStoreDbDouble.start()
    const env = { SVC_CRASH_POINT: 'migrate.copied:1' }
    const program = runProgram(PROGRAM, [path, 'eventstoredb', double.url], { env })
    expect(await program.ended).toBe('SIGKILL')
    await double.close()
    const environment = {
      SVC_DATA_DIR: path,
      EVENTSTORE_URL: double.url,
      SVC_EVENTSTORE_READY_MS: '100',
    }
    expect(await svc(['migrate', '--to', 'eventstoredb'], { environment })).toMatchObject({
      code: 6,
      err: expect.stringMatching(/the same command goes on where it was\nsvc: no event store/),
    })
  })
})

test('a start that lacks the address of the server leaves the way back open', async () => {
  const path = temporaryFolder()
  await makeBusiness(path, FEW_EVENTS, new Random(seed))
  const before = await shown(path)
  const url = await startServer()
  await moved(path, 'eventstoredb', url, [])
  await shown(path, url)
  const files = readdirSync(path)
  const forgetful = new ServerProcess(path)
  onTestFinished(() => forgetful.kill('SIGKILL'))
  expect(await forgetful.exited).toMatchObject({ code: 6 })
  expect(forgetful.stderr).toContain('nothing was changed')
  expect(readdirSync(path)).toEqual(files)
  await moved(path, 'sqlite', url, [])
  expect(await shown(path)).toBe(before)
})

describe('a move that is given up', () => {
  const OTHER_PREFIX = 'svc2.'

  test('leaves the ledger where it was, untouched, in both directions', async () => {
    const path = temporaryFolder()
    await makeBusiness(path, FEW_EVENTS, new Random(seed))
    const before = await shown(path)
    const url = await startServer()
    const environment = { SVC_DATA_DIR: path, EVENTSTORE_URL: url, SVC_EVENTSTORE_PREFIX: 'svc.' }
    const giveUp = (to: string, around: object = { environment }) =>
      svc(['migrate', '--to', to, '--give-up'], around)
    const kill = async (to: string, plan: string, prefix: string) => {
      const program = runProgram(PROGRAM, [path, to, url, prefix], {
        env: { SVC_CRASH_POINT: plan },
      })
      expect(await program.ended).toBe('SIGKILL')
    }
    const nothing = { code: 6, err: expect.stringContaining('there is nothing to give up') }

    expect(await giveUp('eventstoredb')).toMatchObject(nothing)
    expect(await giveUp('sqlite')).toMatchObject(nothing)
    await kill('eventstoredb', 'migrate.copied:1', 'svc.')
    expect(await giveUp('sqlite')).toMatchObject({ err: expect.stringContaining('half-way') })
    expect(await giveUp('eventstoredb')).toMatchObject({
      code: 0,
      out: `given up: the ledger is ${join(path, 'ledger.db')}, as before\n`,
    })
    expect(await shown(path)).toBe(before)
    expect(await giveUp('eventstoredb')).toMatchObject(nothing)
    // What was half filled is a ledger for nobody, not even for the next move.
    await expect(openServer(url)).rejects.toMatchObject({ code: 'half-moved' })
    const again = await svc(['migrate', '--to', 'eventstoredb'], { environment })
    expect(again).toMatchObject({ err: expect.stringContaining('SVC_EVENTSTORE_PREFIX') })
    expect(await shown(path)).toBe(before)

    await kill('eventstoredb', 'migrate.compared:1', OTHER_PREFIX)
    // All of it is there: it can only be finished.
    const there = { environment: { ...environment, SVC_EVENTSTORE_PREFIX: OTHER_PREFIX } }
    const tooLate = await giveUp('eventstoredb', there)
    expect(tooLate).toMatchObject({ err: expect.stringContaining('Finish that') })
    expect(tooLate.err).not.toContain('--give-up')
    const finishing = runProgram(PROGRAM, [path, 'eventstoredb', url, OTHER_PREFIX])
    await finishing.printed(1)
    expect(await shown(path, url, OTHER_PREFIX)).toBe(before)

    for (const point of ['begun', 'copied']) {
      await kill('sqlite', `migrate.${point}:1`, OTHER_PREFIX)
      expect(await giveUp('sqlite', there)).toMatchObject({ code: 0 })
      expect(await shown(path, url, OTHER_PREFIX)).toBe(before)
      expect(readdirSync(path)).not.toContain('ledger.db')
    }
    const moving = runProgram(PROGRAM, [path, 'sqlite', url, OTHER_PREFIX])
    await moving.printed(1)
    expect(await shown(path)).toBe(before)
    // The file may be in use: only somebody who says that it is gone takes the server back.
    const gone = { ...there.environment, SVC_DATA_DIR: temporaryFolder() }
    expect(await giveUp('sqlite', { environment: gone, answer: false })).not.toMatchObject({
      code: 0,
    })
    await expect(openServer(url, OTHER_PREFIX)).rejects.toMatchObject({ code: 'half-moved' })
    // The folder is left to others while somebody thinks: another command can ask as well.
    let meanwhile: number | undefined
    const answer = async () => {
      meanwhile = (await giveUp('sqlite', { environment: gone })).code
      return true
    }
    expect(await giveUp('sqlite', { environment: gone, answer })).toMatchObject({ code: 0 })
    expect(meanwhile).toBe(2)
    await (await openServer(url, OTHER_PREFIX)).close()
  })

  test('from another folder begins anew here, with what was sold on the server since', async () => {
    const path = temporaryFolder()
    await makeBusiness(path, FEW_EVENTS, new Random(seed))
    const url = await startServer()
    await moved(path, 'eventstoredb', url, [])
    const elsewhere = { EVENTSTORE_URL: url, SVC_DATA_DIR: temporaryFolder() }
    const sell = async (name: string) => {
      const words = ['account', 'open', '--name', name]
      expect(await svc(words, { environment: elsewhere })).toMatchObject({ code: 0 })
    }
    const giveUp = ['migrate', '--to', 'sqlite', '--give-up']
    for (const point of ['copied', 'compared']) {
      const env = { SVC_CRASH_POINT: `migrate.${point}:1` }
      expect(await runProgram(PROGRAM, [path, 'sqlite', url], { env }).ended).toBe('SIGKILL')
      expect(await svc(giveUp, { environment: elsewhere })).toMatchObject({ code: 0 })
      await sell(point)
    }
    const onServer = await shown(elsewhere.SVC_DATA_DIR, url)
    await moved(path, 'sqlite', url, [])
    expect(await shown(path)).toBe(onServer)
  })

  test('from another folder when all is copied can be given up here too', async () => {
    const path = temporaryFolder()
    await makeBusiness(path, FEW_EVENTS, new Random(seed))
    const url = await startServer()
    await moved(path, 'eventstoredb', url, [])
    const env = { SVC_CRASH_POINT: 'migrate.compared:1' }
    expect(await runProgram(PROGRAM, [path, 'sqlite', url], { env }).ended).toBe('SIGKILL')
    const giveUp = (folder: string) =>
      svc(['migrate', '--to', 'sqlite', '--give-up'], {
        environment: { EVENTSTORE_URL: url, SVC_DATA_DIR: folder },
      })
    expect(await giveUp(path)).toMatchObject({ err: expect.stringContaining('Finish that') })
    expect(await giveUp(temporaryFolder())).toMatchObject({ code: 0 })
    expect(await giveUp(path)).toMatchObject({ code: 0 })
    await (await openServer(url)).close()
    expect(readdirSync(path)).not.toContain('ledger.db')
  })

  test('from another folder while it goes on is not put in place', async () => {
    const path = temporaryFolder()
    await makeBusiness(path, FEW_EVENTS, new Random(seed))
    const url = await startServer()
    await moved(path, 'eventstoredb', url, [])
    const environment = { EVENTSTORE_URL: url, SVC_DATA_DIR: temporaryFolder() }
    const giveUp = () => svc(['migrate', '--to', 'sqlite', '--give-up'], { environment })
    const moving = moveLedger({
      folder: new DataFolder(path),
      to: 'sqlite',
      server: { kind: 'eventstoredb', url, streamPrefix: 'svc.', readyWithinMs: 30_000 },
      // The wait for other gateways is as long as it takes one of them.
      timer: {
        after: (_, then) => {
          void giveUp().then(then)
          return () => {}
        },
      },
      reach: noCrashPoints,
      warn: () => {},
      report: () => {},
      signal: new AbortController().signal,
    })
    await expect(moving).rejects.toThrow('was given up from another data folder')
    await (await openServer(url)).close()
    expect(readdirSync(path)).not.toContain('ledger.db')
  })
})
