/** What the stories of whole servers on EventStoreDB are told with. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { NO_STREAM, START, type StreamHead } from '@svc/contracts/ports/event-store'
import { openEventStoreDb } from '@svc/infra/event-store/eventstoredb/open-eventstoredb'
import { bareEnvironment } from '@svc/testing/bare-environment'
import { type Ran, svc } from '@svc/testing/run-svc'
import { expect } from 'vitest'

const MAIN = fileURLToPath(new URL('../../services/cli/src/main.ts', import.meta.url))
const CLI_MS_MAX = 60_000
export const EXIT_UNREACHABLE = 6

/** Streams of a test's own, on a store that may be in use. */
export function newPrefix(): string {
  return `test-${randomUUID()}.`
}

/** @throws with the status when it is not 200 */
export async function get(url: string, apiKey: string | undefined): Promise<unknown> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } })
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}`)
  return answer.json()
}

/** Asks for a chat completion, to the end. @returns the id of the request, which is debited then */
export async function pay(baseUrl: string, apiKey: string | undefined): Promise<string> {
  const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      model: 'svc-beta',
      max_tokens: 8,
      messages: [{ role: 'user', content: 'What is it?' }],
    }),
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`)
  return answer.headers.get('x-request-id') ?? ''
}

/** `svc` as an operator calls it, in a process of its own. */
export function runCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>()
  const child = execFile(
    process.execPath,
    [MAIN, ...args],
    {
      env: { ...bareEnvironment(), ...environment },
      timeout: CLI_MS_MAX,
    },
    (_error, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
  )
  return promise
}

/** What an operator is told of a running service that cannot use its store. */
export async function expectToldOfStoreAway(dataDir: string, accountId: string): Promise<void> {
  const run = (...args: string[]) => svc([...args, '--data-dir', dataDir])
  const status = await run('status')
  expect(status).toMatchObject({ code: 0, out: expect.stringContaining('does not answer') })
  expect(status.out).toMatch(/accounts +1/)
  const refused = await Promise.all([
    run('verify'),
    run('account', 'list'),
    run('statement', accountId),
    run('projection', 'list'),
    run('projection', 'rebuild', 'usage'),
    run('events', 'list'),
  ])
  for (const { code, err } of refused) {
    expect([code, err]).toEqual([EXIT_UNREACHABLE, expect.stringContaining('event store')])
  }
}

/** Copies a log to another prefix, without its last events: as a backup of a while ago has it. */
export async function copyOlder(
  url: string,
  from: string | undefined,
  to: string | undefined,
  missing = 1,
): Promise<void> {
  const original = await openEventStoreDb({ url, streamPrefix: from })
  const events = await original.readAll({ after: START, limit: 1_000 })
  await original.close()
  const copy = await openEventStoreDb({ url, streamPrefix: to })
  const heads = new Map<string, StreamHead>()
  for (const event of events.slice(0, -missing)) {
    const { stream } = event
    const expected = heads.get(stream) ?? NO_STREAM
    const outcome = await copy.append({ stream, expected, events: [event] })
    if (outcome.kind !== 'appended') throw new Error(`the copy is ${outcome.kind}`)
    heads.set(stream, outcome.head)
  }
  await copy.close()
}
