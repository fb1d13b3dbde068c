/** The keys of an account, for its people. */
import {
  type DashboardOutput,
  dashboardAccountOperations as declared,
} from '@svc/contracts/dashboard/operations'
import { ServiceError } from '@svc/contracts/errors'
import { userActor, userOfActor } from '@svc/contracts/events/actors'
import { formatExact } from '@svc/contracts/money'
import { parsedRequest } from '@svc/contracts/parsed-input'
import type { Clock } from '@svc/contracts/ports/time'
import type { KeySummary, Ledger } from '@svc/ledger/ledger'
import { lastThirtyDays } from '@svc/projections/spent-lately'
import type { KeyUsage, Views } from '@svc/projections/views'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Reads } from '../../admission/reads.ts'
import { memberOf } from '../../admission/session-callers.ts'
import { type OwnViews, viewHolds } from '../account/own-views.ts'
import { isChatKey } from './chat-key.ts'

/** A name and a time are all that is sent. */
const BODY_BYTES_MAX = 4 * 1024
const SECOND_MS = 1_000
const REASON = 'in the dashboard'

type Hooks = Pick<Reads, 'hooks'>
type RotateInput = z.output<(typeof declared)['rotateAccountKey']['input']>
type KeyRow = DashboardOutput<'listAccountKeys'>[number]

export interface AccountKeyPorts extends OwnViews {
  readonly ledger: Pick<Ledger, 'account' | 'administration' | 'lastPosition'>
  readonly views: Pick<Views, 'keys' | 'usage'>
  readonly reads: Hooks
  /** Hooks of routes for those who may change keys. */
  readonly owners: Hooks
  readonly clock: Clock
}

export function accountKeyRoutes(ports: AccountKeyPorts) {
  const { ledger, reads, owners } = ports
  return async (app: FastifyInstance): Promise<void> => {
    const reading = { onRequest: reads.hooks, exposeHeadRoute: false }
    const writing = { onRequest: owners.hooks, bodyLimit: BODY_BYTES_MAX }

    app.get('/keys', reading, async (request) =>
      listKeys(ports, parsedRequest(declared.listAccountKeys, request)),
    )

    app.post('/keys', writing, async (request): Promise<DashboardOutput<'createAccountKey'>> => {
      const input = parsedRequest(declared.createAccountKey, request)
      const { account_id: accountId, name, expires_at: expiresAt, idempotency_key: once } = input
      const actor = actorOf(request)
      const { keyId, secret } = await ledger.administration.createKey(accountId, {
        name,
        expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
        // The key of the request is this user's own: nobody takes what another one's request made.
        idempotencyKey: once === undefined ? undefined : `${actor} ${once}`,
        actor,
      })
      if (secret === null) throw madeBefore(keyId)
      return { key_id: keyId, secret }
    })

    app.post('/keys/:key_id/rename', writing, async (request) => {
      const input = parsedRequest(declared.renameAccountKey, request)
      const { account_id: accountId, key_id: keyId, name } = input
      await requireKey(ledger, accountId, keyId)
      const change = { keyId, name, reason: REASON, actor: actorOf(request) }
      return { changed: await ledger.administration.renameKey(accountId, change) }
    })

    app.post('/keys/:key_id/revoke', writing, async (request) => {
      const { account_id: accountId, key_id: keyId } = parsedRequest(
        declared.revokeAccountKey,
        request,
      )
      await requireKey(ledger, accountId, keyId)
      const revoked = await ledger.administration.revokeKey(accountId, {
        keyId,
        reason: REASON,
        actor: actorOf(request),
      })
      return {
        revoked_at: new Date(revoked.revokedAt).toISOString(),
        already_revoked: revoked.alreadyRevoked,
      }
    })

    app.post('/keys/:key_id/rotate', writing, async (request) =>
      rotate(ports, parsedRequest(declared.rotateAccountKey, request), actorOf(request)),
    )
  }
}

/** The new one first: whatever fails then, somebody has a key that works. */
async function rotate(
  { ledger, clock }: AccountKeyPorts,
  { account_id: accountId, key_id: keyId, overlap_seconds: seconds, ...input }: RotateInput,
  actor: string,
): Promise<DashboardOutput<'rotateAccountKey'>> {
  const old = await requireKey(ledger, accountId, keyId)
  const now = clock.nowMs()
  if (statusOf(old, now) !== 'active') {
    throw new ServiceError('conflict', 'The key has ended: make a new one.')
  }
  const { idempotency_key: once } = input
  const idempotencyKey = once === undefined ? undefined : `${actor} ${keyId} ${once}`
  const fresh = { name: old.name, expiresAt: null, idempotencyKey, actor }
  const { keyId: newId, secret } = await ledger.administration.createKey(accountId, fresh)
  const endsAt = Math.min(now + seconds * SECOND_MS, old.expiresAt ?? Number.POSITIVE_INFINITY)
  if (seconds === 0)
    await ledger.administration.revokeKey(accountId, { keyId, reason: REASON, actor })
  else {
    const change = { keyId, expiresAt: endsAt, reason: REASON, actor }
    await ledger.administration.setKeyExpiry(accountId, change)
  }
  // This refusal comes last, so that whatever a first attempt was cut off before has been done.
  if (secret === null) throw madeBefore(newId)
  return { key_id: newId, secret, old_key_ends_at: new Date(endsAt).toISOString() }
}

/** Refuses a repeat: the secret was in the first answer, and is kept nowhere. */
function madeBefore(keyId: string): ServiceError {
  const message =
    `The key ${keyId} was made by the same request before, and its secret was shown then. ` +
    'Revoke it and make another one if the secret is lost.'
  return new ServiceError('conflict', message)
}

/**
 * Finds a key that can be changed. Nobody can change that of the chat.
 *
 * @throws {ServiceError} `not_found`, `conflict`
 */
async function requireKey(
  ledger: Pick<Ledger, 'account'>,
  accountId: string,
  keyId: string,
): Promise<KeySummary> {
  const { keys } = await ledger.account(accountId)
  const key = keys.find((each) => each.keyId === keyId)
  if (key === undefined) {
    throw new ServiceError('not_found', 'The account has no such key.', { param: 'key_id' })
  }
  if (isChatKey(accountId, key)) {
    throw new ServiceError('conflict', 'The chat of the dashboard stands under this key.')
  }
  return key
}

async function listKeys(
  ports: AccountKeyPorts,
  { account_id: accountId }: { readonly account_id: string },
): Promise<readonly KeyRow[]> {
  const { ledger, views, clock } = ports
  const { keys } = await ledger.account(accountId)
  await viewHolds(ports, 'usage', accountId)
  const now = clock.nowMs()
  const edges = lastThirtyDays(now)
  const { steps } = views.usage({ accountId, edges, groupBy: ['key'] })
  const lately = new Map(steps.map(({ keyId, amount }) => [keyId, amount] as const))
  const used = new Map(views.keys(accountId).map((usage) => [usage.keyId, usage] as const))
  return keys
    .map((key) => {
      const row = keyRow(key, used.get(key.keyId), lately.get(key.keyId) ?? 0n, now)
      return { ...row, is_chat: isChatKey(accountId, key) }
    })
    .toReversed()
}

function keyRow(
  key: KeySummary,
  used: KeyUsage | undefined,
  spentLately: bigint,
  now: number,
): Omit<KeyRow, 'is_chat'> {
  return {
    key_id: key.keyId,
    name: key.name,
    last_four: key.lastFour,
    status: statusOf(key, now),
    created_at: new Date(key.createdAt).toISOString(),
    // Which of the operator's people or tokens it was is not told to customers.
    created_by: userOfActor(used?.createdBy ?? null),
    expires_at: optionalTime(key.expiresAt),
    revoked_at: optionalTime(key.revokedAt),
    last_used_at: optionalTime(used?.lastUsedAt ?? null),
    requests: used?.requests ?? 0,
    spent: formatExact(used?.amount ?? 0n),
    spent_30_days: formatExact(spentLately),
  }
}

function statusOf({ revokedAt, expiresAt }: KeySummary, now: number): KeyRow['status'] {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
}

function optionalTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

function actorOf(request: FastifyRequest): string {
  return userActor(memberOf(request).userId)
}
