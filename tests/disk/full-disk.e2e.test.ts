/**
 * The disk of the real server runs full while it works: callers hear so, nothing that was told is
 * lost, and with room again it goes on by itself.
 */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ClientAnswer } from '@svc/testing/checker/history'
import { type RunningServer, startRunningServer } from '@svc/testing/running-server'
import { TinyDisk } from '@svc/testing/tiny-disk'
import { withoutModel } from '@svc/testing/without-model'
import { expect, test } from 'vitest'
import { Audit } from '../torture/audit.ts'

const DISK_MEGABYTES = 8
/** Room for some requests, so that the end comes in the middle of one. */
const LEFT_BYTES = 48 * 1024
const REQUESTS = 60
/** Far longer than a request takes; far shorter than its deadline. */
const PATIENCE_MS = 5_000

test('a full disk refuses requests, loses none that was answered, and is got over', async ({
  skip,
}) => {
  const disk = TinyDisk.mount(DISK_MEGABYTES)
  if (disk === undefined) return skip('a file system can only be mounted by root on Linux')
  const dataDir = join(disk.folder, 'data')
  const environment = await withoutModel()
  const server = await startRunningServer(environment, dataDir)
  const before = await askMany(server, 2)
  expect(before.map(({ status }) => status)).toEqual([200, 200])

  disk.fill(LEFT_BYTES)
  const { told: during, waiting } = await askUntilOneWaits(server, REQUESTS)
  const statuses = new Set(during.map(({ status }) => status))
  if (waiting === undefined) expect(statuses).toContain(503)
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
  disk.fill(0)
  const refused = await ask(server, 0)
  expect(refused.body).toMatchObject({
    error: { code: 'store_unavailable', type: 'server_error', param: null },
  })
  expect((await fetch(`${server.ready.baseUrl}/v1/balance`, headersOf(server))).status).toBe(200)
  await expect
    .poll(() => readiness(server), { timeout: PATIENCE_MS })
    .toEqual([503, expect.stringContaining('disk is full')])
  expect((await server.operations.status()).store.problems).toEqual([
    expect.stringMatching(/ledger\.db.*free some space/),
  ])
  const full = ['svc_ready 0', 'svc_event_log_healthy 0', 'svc_data_folder_free_bytes 0']
  expect((await server.metrics()).split('\n')).toEqual(expect.arrayContaining(full))

  disk.clear()
  await expect
    .poll(() => readiness(server), { timeout: PATIENCE_MS })
    .toEqual([200, expect.anything()])
  expect((await server.operations.status()).store.problems).toEqual([])
  const well = ['svc_ready 1', 'svc_event_log_healthy 1']
  expect((await server.metrics()).split('\n')).toEqual(expect.arrayContaining(well))
  const waited = waiting === undefined ? [] : [await waiting]
  expect(waited.map(({ status }) => status)).toEqual(waited.map(() => 200))
  const after = await askMany(server, 5)
  expect(after.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const views = () => server.operations.listProjections()
  await expect
    .poll(async () => (await views()).map(({ state, error }) => [state, error]))
    .toEqual((await views()).map(() => ['live', null]))
  expect(await server.process.stop()).toEqual({ code: 0, signal: null })

  // What broke off on the full disk is swept by the next start: then the books must be whole.
  const again = await startRunningServer(environment, dataDir)
  const history = [...before, ...during, ...waited, ...after]
  expect(await new Audit().check(again.operations, history)).toEqual([])
})

test('a server on a full disk stops in order, and its next start finds its books whole', async ({
  skip,
}) => {
  const disk = TinyDisk.mount(DISK_MEGABYTES)
  if (disk === undefined) return skip('a file system can only be mounted by root on Linux')
  const dataDir = join(disk.folder, 'data')
  const environment = await withoutModel()
  const server = await startRunningServer(environment, dataDir)
  const before = await askMany(server, 3)
  disk.fill(0)
  expect((await ask(server, 0)).status).toBe(503)
  expect(await server.process.stop()).toEqual({ code: 0, signal: null })

  disk.clear()
  const again = await startRunningServer(environment, dataDir)
  expect(await new Audit().check(again.operations, before)).toEqual([])
})

interface Answer extends ClientAnswer {
  readonly body: unknown
}

async function askMany(server: RunningServer, count: number): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let index = 0; index < count; index += 1) answers.push(await ask(server, index))
  return answers
}

async function readiness({ ready }: RunningServer): Promise<[status: number, body: string]> {
  const answer = await fetch(`${ready.baseUrl}/readyz`)
  return [answer.status, await answer.text()]
}

/**
 * The disk may fill between the acceptance of a request and its end. Such a request waits for room
 * until its deadline, minutes away: the answer is made, and only its charge is not yet written.
 */
async function askUntilOneWaits(
  server: RunningServer,
  count: number,
): Promise<{ readonly told: Answer[]; readonly waiting: Promise<Answer> | undefined }> {
  const told: Answer[] = []
  while (told.length < count) {
    const waiting = ask(server, told.length)
    const answer = await Promise.race([waiting, setTimeout(PATIENCE_MS, undefined)])
    if (answer === undefined) return { told, waiting }
    told.push(answer)
  }
  return { told, waiting: undefined }
}

/** Every other request has an Idempotency-Key: its answer is stored as well. */
async function ask({ ready }: RunningServer, index: number): Promise<Answer> {
  const answer = await fetch(`${ready.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${ready.apiKey}`,
      ...(index % 2 === 0 ? {} : { 'idempotency-key': crypto.randomUUID() }),
    },
    body: JSON.stringify({
      model: 'svc-beta',
      max_tokens: 2,
      messages: [{ role: 'user', content: `Hello ${index}` }],
    }),
  })
  const requestId = answer.headers.get('x-request-id') ?? ''
  const body = await answer.json()
  return { requestId, status: answer.status, body, usage: usageOf(body) }
}

function usageOf(body: unknown): ClientAnswer['usage'] {
  const { usage } = body as { usage?: Record<string, number> }
  if (usage === undefined) return null
  return {
    inputTokens: usage.prompt_cache_miss_tokens ?? 0,
    cachedInputTokens: usage.prompt_cache_hit_tokens ?? 0,
    outputTokens: usage.completion_tokens ?? 0,
  }
}

function headersOf({ ready }: RunningServer): RequestInit {
  return { headers: { authorization: `Bearer ${ready.apiKey}` } }
}
