import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { describeOnOwnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { pino } from 'pino'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { OpenResources } from '../core/open-resources.ts'
import { DataFolder } from '../data-folder/data-folder.ts'
import { logLevelOf, readSettings } from '../settings/settings.ts'
import { openPrefixIndex } from '../supervision/open-prefix-index.ts'
import { openKeptAnswers } from './kept-answers.ts'

const LATER = Date.now() + 3_600_000

let folder: DataFolder
beforeEach(() => {
  folder = new DataFolder(temporaryFolder())
  folder.make()
})

async function open(contentSecret?: string) {
  const logger = pino({ level: 'silent' })
  const parts = new OpenResources(logger)
  const secret = contentSecret === undefined ? {} : { SVC_CONTENT_SECRET: contentSecret }
  const settings = { SVC_REDIS_PREFIX: 'svc.', ...secret }
  const kept = await openKeptAnswers({ settings, folder, logger, isGateway: true, parts })
  return { ...kept, close: () => parts.close() }
}
const answer = 'the-canary'

/** How many connections the server has, that of the question among them. */
const clients = (redis: RedisServer) => async () =>
  String(await redis.command('CLIENT', 'LIST')).split('addr=').length - 1

test('what was kept is there for the next server, and unreadable on the disk', async () => {
  const first = await open()
  await first.recordedAnswers.save('acct_1', 'req_1', answer, LATER)
  await first.storedResponses.save('acct_1', 'resp_1', 'the-canary', LATER)
  await first.close()
  for (const file of [folder.answersFile, folder.responsesFile]) {
    expect(readFileSync(file).includes('canary')).toBe(false)
  }
  const second = await open()
  expect(await second.recordedAnswers.load('acct_1', 'req_1', Date.now())).toBe(answer)
  expect(await second.storedResponses.load('acct_1', 'resp_1', Date.now())).toBe('the-canary')
  await second.close()
})

test('what has expired is removed by the next server', async () => {
  const first = await open()
  await first.recordedAnswers.save('acct_1', 'req_1', answer, 1)
  await first.storedResponses.save('acct_1', 'resp_1', 'old', 1)
  await first.close()
  const second = await open()
  await expect.poll(() => second.recordedAnswers.load('acct_1', 'req_1', 0)).toBeUndefined()
  await expect.poll(() => second.storedResponses.load('acct_1', 'resp_1', 0)).toBeUndefined()
  await second.close()
})

test.each([undefined, 'the secret of all gateways'])(
  'what a client carries is opened by the next server on the folder, under the secret %s',
  async (secret) => {
    const first = await open(secret)
    const sealed = first.textSeal.seal(['acct_1'], 'the-canary')
    await first.close()
    const second = await open(secret)
    expect(second.textSeal.open(['acct_1'], sealed)).toBe('the-canary')
    await second.close()
    const third = await open('another secret than that')
    expect(third.textSeal.open(['acct_1'], sealed)).toBeUndefined()
    await third.close()
  },
)

test('one account cannot push out the answers of another', async () => {
  const kept = await open()
  const large = 'x'.repeat(16 * 1024 * 1024)
  await kept.recordedAnswers.save('acct_1', 'req_1', answer, LATER)
  // More than the room of an account, and than all answers once had together.
  for (let at = 0; at < 20; at += 1) {
    await kept.recordedAnswers.save('acct_2', `req_${at}`, large, LATER)
  }
  expect(await kept.recordedAnswers.load('acct_1', 'req_1', Date.now())).toBe(answer)
  expect(await kept.recordedAnswers.load('acct_2', 'req_0', Date.now())).toBeUndefined()
  await kept.close()
})

test('only a gateway shares texts, and tells when it cannot', async () => {
  const toldBy = async (isGateway: boolean, until: (told: readonly string[]) => Promise<void>) => {
    const told: string[] = []
    const logger = pino({}, { write: (line: string) => void told.push(JSON.parse(line).msg) })
    const parts = new OpenResources(logger)
    // Nobody listens on this port.
    const address = { REDIS_URL: 'redis://127.0.0.1:1', SVC_CONTENT_SECRET: 'x'.repeat(32) }
    const settings = readSettings(address)
    await openKeptAnswers({ settings, folder, logger, isGateway, parts })
    await until(told)
    await parts.close()
    return told
  }
  const line = "Redis unavailable: kept texts are this gateway's own"
  const told = await toldBy(true, (lines) => expect.poll(() => lines).toContain(line))
  expect(told).toEqual([line, line])
  expect(await toldBy(false, () => delay(500))).toEqual([])
})

test('what its own files keep of an account is removed while its Redis is away', async () => {
  const logger = pino({ level: 'silent' })
  const parts = new OpenResources(logger)
  // Nobody listens on this port.
  const address = { REDIS_URL: 'redis://127.0.0.1:1', SVC_CONTENT_SECRET: 'x'.repeat(32) }
  const settings = readSettings(address)
  const kept = await openKeptAnswers({ settings, folder, logger, isGateway: true, parts })
  onTestFinished(async () => void (await parts.close()))
  const { recordedAnswers, storedResponses } = kept
  await recordedAnswers.save('acct_1', 'req_1', answer, LATER)
  await storedResponses.save('acct_1', 'resp_1', answer, LATER)
  await expect(kept.removeAll('acct_1')).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(await recordedAnswers.load('acct_1', 'req_1', Date.now())).toBeUndefined()
  expect(await storedResponses.load('acct_1', 'resp_1', Date.now())).toBeUndefined()
})

describeOnOwnRedis('a Redis that goes and comes back', () => {
  test('is told of both times in a log at its default level', async () => {
    const redis = await startRedisServer()
    onTestFinished(() => redis.close())
    const told: string[] = []
    const write = (line: string) => void told.push(JSON.parse(line).msg)
    const logger = pino({ level: logLevelOf({}) }, { write })
    const parts = new OpenResources(logger)
    onTestFinished(async () => void (await parts.close()))
    const settings = readSettings({ REDIS_URL: redis.url, SVC_CONTENT_SECRET: 'x'.repeat(32) })
    await openKeptAnswers({ settings, folder, logger, isGateway: true, parts })
    const index = await openPrefixIndex(settings, logger)
    onTestFinished(() => index.close())
    await expect.poll(clients(redis)).toBeGreaterThan(3)
    await redis.kill()
    const gone = [
      "Redis unavailable: kept texts are this gateway's own",
      "Redis unavailable: the prefix index is this server's own",
    ]
    await expect.poll(() => told).toEqual(expect.arrayContaining(gone))
    await redis.restart()
    const back = [
      'Redis answers: kept texts are shared again',
      'Redis answers: the prefix index is shared again',
    ]
    await expect.poll(() => told).toEqual(expect.arrayContaining(back))
  })
})
