/** Every operation of the admin API, asked by every kind of caller. */
import type { Declaration } from '@svc/contracts/admin/declaration'
import { adminOperations, type Operations } from '@svc/contracts/admin/operations'
import { makeSecret } from '@svc/contracts/api-key'
import { SECRET_RANDOM_BYTES } from '@svc/contracts/checked-secret'
import { ServiceError } from '@svc/contracts/errors'
import { type AdminRole, adminRoles } from '@svc/contracts/events/admin-tokens'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { adminTokensOn, newAdminToken } from '@svc/testing/admin-access'
import { type AdminServer, startAdminServer } from '@svc/testing/admin-server'
import { ManualTime } from '@svc/testing/manual-time'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = 'the root token'
const WEEK_MS = 7 * 24 * 3_600_000

/**
 * The roles are written out once more by hand, so that one that changes in a declaration must
 * change here too.
 */
const leastRoles: Readonly<Record<keyof Operations | '/metrics', AdminRole>> = {
  openAccount: 'operator',
  listAccounts: 'auditor',
  searchAccounts: 'auditor',
  sumAccounts: 'auditor',
  showAccount: 'auditor',
  grant: 'operator',
  createKey: 'operator',
  listKeys: 'auditor',
  revokeKey: 'operator',
  renameKey: 'operator',
  eraseTexts: 'owner',
  renameAccount: 'operator',
  setSpendPolicy: 'operator',
  freezeAccount: 'operator',
  unfreezeAccount: 'operator',
  closeAccount: 'operator',
  voidGrant: 'operator',
  refund: 'operator',
  adjust: 'operator',
  listGrants: 'auditor',
  listHolds: 'auditor',
  correctPrice: 'operator',
  publishPrice: 'operator',
  previewGrant: 'auditor',
  previewPrice: 'auditor',
  withdrawPrice: 'operator',
  setPriceList: 'operator',
  month: 'auditor',
  listPrices: 'auditor',
  accountUsage: 'auditor',
  accountRequests: 'auditor',
  accountRequestTotals: 'auditor',
  exportRequests: 'auditor',
  statement: 'auditor',
  exportStatement: 'auditor',
  explain: 'auditor',
  explainRefusal: 'auditor',
  checkFeed: 'auditor',
  resendFeed: 'operator',
  verify: 'auditor',
  lastBackup: 'auditor',
  lastVerification: 'auditor',
  reconcile: 'auditor',
  evidenceKey: 'auditor',
  exportEvidence: 'auditor',
  rotateEvidenceKey: 'owner',
  replay: 'auditor',
  compareViews: 'auditor',
  findEvent: 'auditor',
  listEvents: 'auditor',
  newestEvents: 'auditor',
  tailEvents: 'auditor',
  listProjections: 'auditor',
  listQuarantine: 'auditor',
  rebuildProjection: 'operator',
  backUp: 'operator',
  tryRebuild: 'operator',
  cancelRebuild: 'operator',
  status: 'auditor',
  listWorkers: 'auditor',
  drainWorker: 'operator',
  addWorker: 'operator',
  removeWorker: 'operator',
  auditCache: 'operator',
  createAdminToken: 'owner',
  listAdminTokens: 'auditor',
  revokeAdminToken: 'owner',
  eraseSubjectTexts: 'owner',
  listUsers: 'auditor',
  inviteUser: 'operator',
  listInvitations: 'auditor',
  revokeInvitation: 'operator',
  createResetLink: 'operator',
  setUserRole: 'owner',
  setUserAccount: 'operator',
  setUserStatus: 'operator',
  eraseUser: 'owner',
  '/metrics': 'metrics',
}

const routes: Readonly<Record<string, Pick<Declaration, 'method' | 'path'>>> = {
  ...adminOperations,
  '/metrics': { method: 'GET', path: '/metrics' },
}

/** Makes handlers that tell every caller who gets as far as that, and do nothing. */
function handlersThatSayReached(): Operations {
  const reached = new ServiceError('upgrade_refused', 'reached')
  const one = async () => Promise.reject(reached)
  // biome-ignore lint/correctness/useYield: it refuses before the first line
  async function* lines(): AsyncGenerator<object> {
    throw reached
  }
  const handlers = Object.entries<Declaration>(adminOperations).map(([name, { answer }]) => [
    name,
    answer === 'lines' ? lines : one,
  ])
  return Object.fromEntries(handlers) as Operations
}

let server: AdminServer
const secrets = new Map<string, string | undefined>()

beforeAll(async () => {
  const time = new ManualTime()
  const adminTokens = adminTokensOn(new MemoryEventStore(), time)
  const create = async (name: string, role: AdminRole, expiresAt: number | null = null) => {
    const made = await newAdminToken(adminTokens, { name, role, expiresAt, actor: 'test' })
    secrets.set(name, made.secret)
    return made
  }
  for (const role of adminRoles) await create(role, role)
  const { tokenId } = await create('revoked', 'owner')
  await adminTokens.revoke(tokenId, 'lost', 'test')
  await create('expired', 'owner', time.nowMs() + WEEK_MS)
  await time.advance(WEEK_MS)
  const random = new Uint8Array(SECRET_RANDOM_BYTES)
  secrets.set('none', undefined)
  secrets.set('root', ROOT)
  secrets.set('malformed', 'svc-admin-x')
  secrets.set('API key', makeSecret(`acct_${'0'.repeat(26)}`, random))
  server = await startAdminServer({
    operations: handlersThatSayReached(),
    operatorToken: ROOT,
    adminTokens,
    badTokensPerMinute: 1_000_000,
    metrics: { text: () => Promise.reject(new ServiceError('upgrade_refused', 'reached')) },
  })
})
afterAll(() => server.close())

const principals: readonly (AdminRole | 'root' | string)[] = [
  ...adminRoles,
  ...['root', 'none', 'malformed', 'API key', 'revoked', 'expired'],
]

test('the table names every operation, with the role of its declaration', () => {
  const declared = Object.entries(adminOperations).map(([name, { role }]) => [name, role])
  expect(leastRoles).toEqual({ ...Object.fromEntries(declared), '/metrics': 'metrics' })
})

describe.each(Object.entries(leastRoles))('%s', (name, least) => {
  test.each(principals)('asked by %s', async (principal) => {
    const { method, path } = routes[name] as Declaration
    const secret = secrets.get(principal)
    const answer = await fetch(`${server.baseUrl}/admin/v1${path.replace(/:\w+/g, 'x')}`, {
      method,
      headers: {
        ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
        'content-type': 'application/json',
      },
      ...(method === 'POST' ? { body: '{}' } : {}),
    })
    const { error } = (await answer.json()) as { error: { code: string; message: string } }
    expect([answer.status, error.code]).toEqual(expected(principal, least))
    if (answer.status === 403) expect(error.message).toContain(`the role ${least}`)
  })
})

function expected(principal: string, least: AdminRole): readonly [number, string] {
  const rank = adminRoles.indexOf((principal === 'root' ? 'owner' : principal) as AdminRole)
  if (rank === -1) return [401, 'invalid_api_key']
  return rank >= adminRoles.indexOf(least) ? [426, 'upgrade_refused'] : [403, 'not_allowed']
}
