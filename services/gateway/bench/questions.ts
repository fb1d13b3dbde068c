/** The operator's questions that take long on a log of a million events, over HTTP. */
import type { Operations } from '@svc/contracts/admin/operations'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import type { SeededAccount } from './seed-log.ts'

export interface LongQuestion {
  readonly name: string
  /** Resolves when the whole answer is there. */
  ask(): Promise<void>
}

const OPERATOR_TOKEN = 'bench'
const PAGE_ENTRIES = 500
const PAGE_EVENTS = 1_000

export function longQuestions(baseUrl: string, long: SeededAccount): readonly LongQuestion[] {
  const { signal } = new AbortController()
  const server = createRemoteOperations({ baseUrl, operatorToken: OPERATOR_TOKEN, signal })
  const rebuild = (name: string): LongQuestion => ({
    name: `rebuild-${name}`,
    ask: () => toTheEnd(server.rebuildProjection({ name })),
  })
  return [
    { name: 'verify', ask: () => toTheEnd(server.verify({})) },
    rebuild('accounts'),
    rebuild('statement'),
    rebuild('requests'),
    { name: 'statement', ask: () => askStatement(server, long.accountId) },
    { name: 'accounts', ask: () => askAccounts(server) },
    // There is none of its kind: the whole log is looked through.
    { name: 'events', ask: () => askEvents(server) },
  ]
}

async function toTheEnd(lines: AsyncIterable<object>): Promise<void> {
  for await (const _ of lines);
}

async function askStatement(server: Operations, accountId: string): Promise<void> {
  for (let after = 0, more = true; more; ) {
    const page = await server.statement({ account_id: accountId, after, limit: PAGE_ENTRIES })
    after = page.rows.at(-1)?.entry ?? after
    more = page.more
  }
}

async function askAccounts(server: Operations): Promise<void> {
  for (let after: string | undefined; ; ) {
    const page = await server.listAccounts({ after, limit: PAGE_ENTRIES })
    if (page.length < PAGE_ENTRIES) return
    after = page.at(-1)?.account_id
  }
}

async function askEvents(server: Operations): Promise<void> {
  for (let after: string | undefined = '-1'; after !== undefined; ) {
    const page = await server.listEvents({ type: 'CreditExpired', after, limit: PAGE_EVENTS })
    after = page.next ?? undefined
  }
}
