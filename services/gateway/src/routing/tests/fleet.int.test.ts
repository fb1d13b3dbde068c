/** Requests on a fleet of workers: where they go, and what they cost when workers come and go. */
import type { PrefixIndex, PrefixPlace } from '@svc/contracts/ports/prefix-index'
import { MemoryPrefixIndex } from '@svc/infra/prefix-store/memory/memory-prefix-index'
import {
  chatBody,
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from '@svc/testing/gateway/gateway-fixture'
import { messageBlocks, plainScript, type ScriptedWorker } from '@svc/testing/scripted-worker'
import { StreamReader } from '@svc/testing/stream-reader'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expectErrorBody } from '../../../testing/oracle.ts'
import { BALANCE_RUNS } from '../choose-worker.ts'

const script = { tokens: 4, blocks: messageBlocks }
const stream = { stream: true }

async function start(options: FixtureOptions = {}): Promise<GatewayFixture> {
  const fixture = await startGateway({
    workers: 2,
    script,
    index: new MemoryPrefixIndex(),
    ...options,
  })
  onTestFinished(() => fixture[Symbol.asyncDispose]())
  const all = () => fixture.pool.workers.every(({ ready }) => ready)
  await expect.poll(all).toBe(true)
  return fixture
}

/** Questions of one conversation, the answers between them. */
function conversation(name: string, questions: number): { messages: object[] } {
  const turns = Array.from({ length: questions - 1 }, (_, turn) => [
    { role: 'user', content: `question ${turn} of ${name}` },
    { role: 'assistant', content: 'word word1 word2 word3' },
  ])
  return { messages: [...turns.flat(), { role: 'user', content: `the last one of ${name}` }] }
}

/** Asks, and says which worker has answered. */
async function askedOn(fixture: GatewayFixture, fields: object, headers = {}): Promise<number> {
  const before = fixture.workers.map(({ runs }) => runs.length)
  const response = await fixture.post(chatBody(fields), headers)
  expect(response.status, await response.text()).toBe(200)
  return fixture.workers.findIndex(({ runs }, index) => runs.length > (before[index] ?? 0))
}

function holderOf(fixture: GatewayFixture, index: number): ScriptedWorker {
  const worker = fixture.workers[index]
  if (worker === undefined) throw new Error(`no worker ${index}`)
  return worker
}

describe('a conversation', () => {
  test('stays on the worker that has its beginning, and others go to the other', async () => {
    const fixture = await start()
    const ada = await askedOn(fixture, conversation('ada', 2))
    const bob = await askedOn(fixture, conversation('bob', 2))
    expect(bob).not.toBe(ada)
    for (let questions = 3; questions < 7; questions += 1) {
      expect(await askedOn(fixture, conversation('ada', questions))).toBe(ada)
      expect(await askedOn(fixture, conversation('bob', questions))).toBe(bob)
    }
  })

  test('moves on while its worker has too much to do', async () => {
    const fixture = await start({ script: { ...script, tokens: 500, delayMs: 5 } })
    const streams = []
    for (let run = 0; run <= BALANCE_RUNS; run += 1) {
      streams.push(fixture.post(chatBody({ ...conversation('ada', 3), ...stream })))
      await expect.poll(() => runsOf(fixture)).toBe(run + 1)
    }
    const counts = () => fixture.workers.map(({ runs }) => runs.length).toSorted()
    expect(counts()).toEqual([0, BALANCE_RUNS + 1])
    streams.push(fixture.post(chatBody({ ...conversation('ada', 3), ...stream })))
    await expect.poll(counts).toEqual([1, BALANCE_RUNS + 1])
    for (const answer of await Promise.all(streams)) await answer.body?.cancel()
  })

  test('is found by another gateway that shares the index', async () => {
    const index = new MemoryPrefixIndex()
    const first = await start({ index })
    const second = await start({ index, workersOf: first })
    for (let round = 0; round < 4; round += 1) {
      const name = `conversation ${round}`
      const holder = await askedOn(first, conversation(name, 2))
      expect(await askedOn(second, conversation(name, 3))).toBe(holder)
    }
  })
})

function runsOf({ workers }: GatewayFixture): number {
  return workers.reduce((sum, { runs }) => sum + runs.length, 0)
}

describe('accounts', () => {
  test('match only blocks of their own, and each prompt says whose it is', async () => {
    const index = new SpyingIndex()
    const fixture = await start({ index })
    const other = { authorization: `Bearer ${fixture.ledger.otherSecret}` }
    await askedOn(fixture, conversation('the same', 4))
    await askedOn(fixture, conversation('the same', 4), other)
    const [mine, theirs] = index.asked
    expect(mine).toHaveLength(6)
    expect(theirs).toHaveLength(6)
    expect(mine?.filter((name) => theirs?.includes(name))).toEqual([])
    expect(index.found).toEqual([0, 0])
    const { accountId, otherAccountId } = fixture.ledger
    const prepared = fixture.workers.flatMap((worker) => worker.prepared)
    const tenants = prepared.map(({ tenant }) => tenant)
    expect(new Set(tenants)).toEqual(new Set([accountId, otherAccountId]))
    await askedOn(fixture, conversation('the same', 4), other)
    expect(index.found).toEqual([0, 0, 1])
  })

  test('have the weight that was set for them, or 1', async () => {
    const tenantWeights = new Map<string, number>()
    const fixture = await start({ workers: 1, tenantWeights })
    const { accountId, otherSecret } = fixture.ledger
    tenantWeights.set(accountId, 4)
    await askedOn(fixture, {})
    await askedOn(fixture, {}, { authorization: `Bearer ${otherSecret}` })
    expect(fixture.worker.runs.map(({ request }) => request.weight)).toEqual([4, 1])
  })
})

/** A memory index that keeps what it was asked, and how many places it knew. */
class SpyingIndex implements PrefixIndex {
  readonly failures = 0
  readonly asked: (readonly string[])[] = []
  readonly found: number[] = []
  readonly #index = new MemoryPrefixIndex()

  note(instanceId: string, names: readonly string[]): Promise<void> {
    return this.#index.note(instanceId, names)
  }

  async find(names: readonly string[]): Promise<readonly PrefixPlace[]> {
    const places = await this.#index.find(names)
    this.asked.push(names)
    this.found.push(places.length)
    return places
  }

  async close(): Promise<void> {}
}

describe('when the worker with the prefix', () => {
  test.each([{}, stream])(
    'dies before the first byte: made elsewhere, one debit, %o',
    async (fields) => {
      const fixture = await start({ workers: 3 })
      const holder = holderOf(fixture, await askedOn(fixture, conversation('ada', 2)))
      holder.script = { ...holder.script, fault: { kind: 'die', afterTokens: 0 } }
      const response = await fixture.post(chatBody({ ...conversation('ada', 3), ...fields }))
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('word3')
      expect(holder.runs).toHaveLength(2)
      expect(runsOf(fixture)).toBe(3)
      expect(fixture.ledger.debits()).toHaveLength(2)
      expect(fixture.ledger.openHolds()).toBe(0n)
    },
  )

  test('dies after the first byte: an honest error, and one debit of what was sent', async () => {
    const fixture = await start()
    const holder = holderOf(fixture, await askedOn(fixture, conversation('ada', 2)))
    holder.script = { ...holder.script, delayMs: 3, fault: { kind: 'die', afterTokens: 2 } }
    const fields = { ...conversation('ada', 3), ...stream }
    const text = await new StreamReader(await fixture.post(chatBody(fields))).rest()
    expect(text).toMatch(/"code":"worker_failed"\}\}\n\n$/)
    expect(runsOf(fixture)).toBe(2)
    const last = [...fixture.ledger.entries.values()].at(-1)
    expect(last?.settled?.input).toMatchObject({
      rule: 'delivered_before_failure',
      meter: { outputTokens: 2 },
    })
    expect(fixture.ledger.debits()).toHaveLength(2)
  })

  test('is full: made elsewhere, one debit', async () => {
    const fixture = await start()
    const holder = holderOf(fixture, await askedOn(fixture, conversation('ada', 2)))
    const full = { kind: 'refuse', status: 503, code: 'queue_full' } as const
    holder.script = { ...holder.script, fault: full }
    await askedOn(fixture, conversation('ada', 3))
    expect(fixture.ledger.debits()).toHaveLength(2)
  })
})

describe('a worker that says it is ready and fails at all that it is given', () => {
  const prepareRefusal = { status: 500, code: 'failed', message: 'its template broke' } as const
  const noMeter = { kind: 'no-meter' } as const

  test.each([
    ['to prepare a prompt', { prepareRefusal }],
    ['to end a run that began', { fault: noMeter }],
  ])('gets few of the requests: %s', async (_, broken) => {
    const fixture = await start({ workers: 3 })
    const ill = holderOf(fixture, 0)
    ill.script = { ...ill.script, ...broken }
    const statuses = new Map<number, number>()
    for (let request = 0; request < 40; request += 1) {
      // A stream that has begun is made nowhere else.
      const fields = { ...conversation(`ada ${request}`, 1), ...stream }
      const answer = await fixture.post(chatBody(fields))
      const isWhole = (await answer.text()).endsWith('data: [DONE]\n\n')
      const status = answer.status === 200 && !isWhole ? 502 : answer.status
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect(statuses.get(200)).toBeGreaterThanOrEqual(37)
    ill.script = { ...ill.script, prepareRefusal: null, fault: null }
    const served = ill.runs.length
    // It is tried again by itself.
    const isBack = async () => {
      await fixture.post(chatBody(conversation('bob', 1)))
      return ill.runs.length > served
    }
    await expect.poll(isBack, { interval: 100 }).toBe(true)
  })

  test('gets them all the same where there is no other', async () => {
    const fixture = await start({ workers: 1, script: { ...script, prepareRefusal } })
    for (let request = 0; request < 4; request += 1) {
      expect((await fixture.post(chatBody())).status).toBe(503)
    }
    holderOf(fixture, 0).script = { ...plainScript, tokens: 2 }
    expect((await fixture.post(chatBody())).status).toBe(200)
  })
})

describe('workers that drain', () => {
  test('end what they run, which is billed, and get nothing new', async () => {
    const fixture = await start({ script: { ...script, tokens: 60, delayMs: 20 } })
    const reader = new StreamReader(await fixture.post(chatBody(stream)))
    await reader.until('word1')
    const busy = fixture.workers.findIndex(({ runs }) => runs.length === 1)
    await fixture.pool.drain(`wrk_${busy}`, true)
    for (const worker of fixture.workers) worker.script = { ...plainScript, tokens: 2 }
    expect(await askedOn(fixture, {})).toBe(1 - busy)
    expect(await askedOn(fixture, {})).toBe(1 - busy)
    const text = await reader.rest()
    expect(text).toContain('word59')
    expect(text).toContain('[DONE]')
    expect(fixture.ledger.debits()).toHaveLength(3)
  })

  test('all of them: overloaded, before anything is held', async () => {
    const fixture = await start()
    for (const { workerId } of fixture.pool.workers) await fixture.pool.drain(workerId, true)
    const response = await fixture.post(chatBody())
    expect(response.status).toBe(503)
    expectErrorBody(await response.text(), { status: 503, code: 'server_is_overloaded' })
    expect(fixture.ledger.acceptCalls).toBe(0)
    expect((await fixture.get('/readyz')).status).toBe(503)
  })

  test('one model after the other, under load: every request is answered', async () => {
    const old = await start({ workers: 1, worker: { fingerprint: 'old' } })
    const next = await start({ workers: 1, worker: { fingerprint: 'new', contextSize: 512 } })
    await old.pool.add({
      workerId: 'next',
      address: { kind: 'unix', path: next.worker.socketPath },
    })
    let isOver = false
    const client = async () => {
      const statuses: number[] = []
      while (!isOver) {
        const response = await old.post(chatBody())
        statuses.push(response.status)
        await response.text()
      }
      return statuses
    }
    const clients = Array.from({ length: 8 }, client)
    await expect.poll(() => next.worker.runs.length).toBeGreaterThan(0)
    await old.pool.drain('wrk_0', true)
    const before = old.worker.runs.length
    const after = next.worker.runs.length
    await expect.poll(() => next.worker.runs.length).toBeGreaterThan(after + 20)
    expect(old.worker.runs.length).toBe(before)
    isOver = true
    const statuses = (await Promise.all(clients)).flat()
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    expect(old.ledger.debits()).toHaveLength(statuses.length)
    const models = await old.get('/v1/models', { 'anthropic-version': '2023-06-01' })
    expect(await models.json()).toMatchObject({ data: [{ max_input_tokens: 512 }] })
  })
})
