/**
 * Two workers on the bundled model behind the real server: a conversation stays where its beginning
 * is, and is billed so; one of them is killed, and everything goes on.
 */
import type { Receipt } from '@svc/contracts/wire/billing'
import { type RunningServer, startRunningServer, workersOf } from '@svc/testing/running-server'
import { expect, test } from 'vitest'
import { Audit } from '../torture/audit.ts'

/** Several blocks, so that a second turn finds most of its prompt computed. */
const RULES = 'You answer in one word. '.repeat(60)

interface Message {
  readonly role: string
  readonly content: string
}

/** Asks the next question of a conversation. */
async function ask(server: RunningServer, messages: Message[], question: string): Promise<Receipt> {
  messages.push({ role: 'user', content: question })
  const answer = await server.chat({ messages, max_tokens: 8 })
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  messages.push({ role: 'assistant', content: JSON.parse(text).choices[0].message.content })
  return server.operations.explain({ request_id: answer.headers.get('x-request-id') ?? '' })
}

async function startTwo(): Promise<RunningServer> {
  const server = await startRunningServer({ SVC_WORKERS: '2' })
  const statuses = async () => (await server.operations.status()).workers.map((each) => each.status)
  await expect.poll(statuses).toEqual(['ready', 'ready'])
  return server
}

test('the second turn of a conversation runs where the first did, and is billed as cached', async () => {
  const server = await startTwo()
  const receipts: Receipt[][] = []
  for (const name of ['Ada', 'Bob', 'Eve']) {
    const messages = [{ role: 'system', content: `${name}. ${RULES}` }]
    const first = await ask(server, messages, 'What is the capital of France?')
    receipts.push([first, await ask(server, messages, 'What is the capital of Italy?')])
  }
  for (const [first, second] of receipts) {
    expect(second?.cache?.worker).toBe(first?.cache?.worker)
    expect(first?.usage.cached_input_tokens).toBe(0)
    const cached = second?.usage.cached_input_tokens ?? 0
    expect(cached).toBeGreaterThanOrEqual(256)
    expect(cached).toBe(second?.cache?.reused_tokens)
    expect(second?.usage.input_tokens).toBeLessThan(first?.usage.input_tokens ?? 0)
  }
  const places = receipts.flat().map(({ cache }) => cache?.worker)
  expect(new Set(places)).toEqual(new Set(['worker-1', 'worker-2']))
  expect(await new Audit().check(server.operations, [])).toEqual([])
})

test.skipIf(process.platform !== 'linux')(
  'one of two workers is killed with kill -9: every request is answered, and it comes back',
  async () => {
    const server = await startTwo()
    const messages = [{ role: 'system', content: RULES }]
    const first = await ask(server, messages, 'What is the capital of France?')
    const holder = first.cache?.worker
    const before = workersOf(server.process)
    const killed = before.find(({ workerId }) => workerId === holder)
    if (killed === undefined) throw new Error(`no process of ${holder}`)

    process.kill(killed.pid, 'SIGKILL')
    // What reaches a process that is just dying may be what ended it: that is not asked elsewhere.
    const isGone = () => workersOf(server.process).every(({ pid }) => pid !== killed.pid)
    await expect.poll(isGone).toBe(true)
    const next = await ask(server, messages, 'What is the capital of Italy?')
    expect(next.cache?.worker).not.toBe(holder)
    await ask(server, messages, 'What is the capital of Spain?')
    const back = () => workersOf(server.process).find(({ workerId }) => workerId === holder)?.pid
    await expect.poll(back).toEqual(expect.any(Number))
    expect(back()).not.toBe(killed.pid)
    const lines = async () => (await server.operations.status()).workers
    await expect.poll(lines).toMatchObject([{ status: 'ready' }, { status: 'ready' }])
    expect((await lines()).find(({ worker_id: workerId }) => workerId === holder)?.restarts).toBe(1)
    expect(await new Audit().check(server.operations, [])).toEqual([])
  },
)
