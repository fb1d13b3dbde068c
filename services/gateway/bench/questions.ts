/** The operator's questions that take long on a log of a million events, over HTTP. */

import { ADMIN_PREFIX } from '@svc/contracts/admin/declaration'
import { Agent, request } from 'undici'
import type { SeededAccount } from './seed-log.ts'

export interface LongQuestion {
  readonly name: string
  /** Resolves when the whole answer is there. */
  ask(): Promise<void>
}

const OPERATOR_TOKEN = 'bench'
const PAGE_ENTRIES = 500
const PAGE_EVENTS = 1_000
const patient = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

export function longQuestions(baseUrl: string, long: SeededAccount): readonly LongQuestion[] {
  const admin = new URL(ADMIN_PREFIX, baseUrl)
  const ask = async (method: 'GET' | 'POST', path: string): Promise<string> => {
    const answer = await request(`${admin.href}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${OPERATOR_TOKEN}`,
        'content-type': 'application/json',
      },
      ...(method === 'POST' ? { body: '{}' } : {}),
      dispatcher: patient,
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200 || text.includes('"type":"error"')) {
      throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 200)}`)
    }
    return text
  }
  const rebuild = (view: string): LongQuestion => ({
    name: `rebuild-${view}`,
    ask: async () => void (await ask('POST', `/projections/${view}/rebuild`)),
  })
  return [
    { name: 'verify', ask: async () => void (await ask('POST', '/verify')) },
    rebuild('accounts'),
    rebuild('statement'),
    rebuild('requests'),
    { name: 'statement', ask: () => askStatement(ask, long.accountId) },
    { name: 'accounts', ask: () => askAccounts(ask) },
    // There is none of its kind: the whole log is looked through.
    { name: 'events', ask: () => askEvents(ask) },
  ]
}

type Ask = (method: 'GET' | 'POST', path: string) => Promise<string>

async function askStatement(ask: Ask, accountId: string): Promise<void> {
  for (let after = 0, more = true; more; ) {
    const path = `/accounts/${accountId}/statement?after=${after}&limit=${PAGE_ENTRIES}`
    const page = JSON.parse(await ask('GET', path)) as StatementPage
    after = page.rows.at(-1)?.entry ?? after
    more = page.more
  }
}

interface StatementPage {
  readonly rows: readonly { readonly entry: number }[]
  readonly more: boolean
}

async function askAccounts(ask: Ask): Promise<void> {
  for (let after = ''; ; ) {
    const from = after === '' ? '' : `&after=${after}`
    const page = JSON.parse(await ask('GET', `/accounts?limit=${PAGE_ENTRIES}${from}`)) as {
      account_id: string
    }[]
    if (page.length < PAGE_ENTRIES) return
    after = page.at(-1)?.account_id ?? ''
  }
}

async function askEvents(ask: Ask): Promise<void> {
  for (let after: string | null = '-1'; after !== null; ) {
    const path = `/events?type=CreditExpired&after=${after}&limit=${PAGE_EVENTS}`
    const page = JSON.parse(await ask('GET', path)) as { next?: string | null }
    after = page.next ?? null
  }
}
