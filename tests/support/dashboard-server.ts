/** A server in this process, with one user of every kind signed in to its dashboard. */
import { join } from 'node:path'
import { DASHBOARD_HEADER, DASHBOARD_PREFIX } from '@svc/contracts/dashboard/declaration'
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { type RunningServer, startServer } from '@svc/server/roles/all'
import { readSettings } from '@svc/server/settings/settings'
import { pino } from 'pino'
import { makeTemporaryFolder } from './temporary-folder.ts'

const PASSWORD = 'correct horse battery staple'

type Session = DashboardOutput<'session'>

/** What a page does in one browser. */
export class TestBrowser {
  readonly #baseUrl: string
  cookie: string | undefined
  /** Of a sign-in that was begun elsewhere. */
  begun: string | undefined

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const own = { origin: this.#baseUrl, [DASHBOARD_HEADER]: '1', 'sec-fetch-site': 'same-origin' }
    const sent = method === 'GET' ? undefined : JSON.stringify(body ?? {})
    return this.send(method, path, { ...own, 'content-type': 'application/json', ...headers }, sent)
  }

  /** With these headers and no others but the cookie. */
  async send(method: string, path: string, headers: Record<string, string>, body?: string) {
    const cookie = [this.cookie, this.begun].filter((each) => each !== undefined).join('; ')
    const answer = await fetch(`${this.#baseUrl}${DASHBOARD_PREFIX}${path}`, {
      method,
      headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
      ...(body === undefined ? {} : { body }),
    })
    for (const set of answer.headers.getSetCookie()) {
      const kept = set.includes('Max-Age=0') ? undefined : set.split(';')[0]
      if (/^[\w-]*svc-begun=/.test(set)) this.begun = kept
      else this.cookie = kept
    }
    return answer
  }

  async json<Output>(method: string, path: string, body?: unknown): Promise<Output> {
    const answer = await this.ask(method, path, body)
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as Output
  }

  join(link: string, name: string): Promise<Session> {
    const secret = link.slice(link.indexOf('#') + 1)
    const email = emailOf(name)
    const who = { email, display_name: name, password: PASSWORD }
    return this.json('POST', '/links/accept', { secret, ...who })
  }

  signIn(name: string, password = PASSWORD): Promise<Session> {
    return this.json('POST', '/session/sign-in', {
      email: emailOf(name),
      password,
    })
  }
}

function emailOf(name: string): string {
  return `${name.toLowerCase().replaceAll(' ', '.')}@example.com`
}

export interface DashboardServer extends AsyncDisposable {
  readonly server: RunningServer
  readonly baseUrl: string
  readonly dataDir: string
  readonly accountId: string
  readonly apiKey: string
  /** The owner of the service and of the first account. */
  readonly owner: TestBrowser
  browser(): TestBrowser
}

export async function startDashboard(
  environment: Readonly<Record<string, string>> = {},
): Promise<DashboardServer> {
  const folder = makeTemporaryFolder()
  const dataDir = join(folder.path, 'data')
  const settings = readSettings({
    SVC_DATA_DIR: dataDir,
    SVC_PORT: '0',
    SVC_SIGN_UP: 'invitation',
    SVC_REQUEST_LOG: 'off',
    ...environment,
  })
  const server = await startServer(settings, { logger: pino({ level: 'silent' }) })
  const { ownerLink = '', accountId = '', apiKey = '', listening, ...ready } = server.ready
  // Also where browsers are to reach it by another address.
  const baseUrl = listening === undefined ? ready.baseUrl : `http://${listening}`
  const owner = new TestBrowser(baseUrl)
  await owner.join(ownerLink, 'Olive')
  return {
    server,
    baseUrl,
    dataDir,
    accountId,
    apiKey,
    owner,
    browser: () => new TestBrowser(baseUrl),
    async [Symbol.asyncDispose]() {
      await server.stop(1_000)
      folder.remove()
    },
  }
}
