import { Buffer } from 'node:buffer'
import type { Operations } from '@svc/contracts/admin/operations'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { START, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { adminTokensOn, newAdminToken } from '@svc/testing/admin-access'
import { startAdminServer } from '@svc/testing/admin-server'
import { textsBeside } from '@svc/testing/ledger/open-ledger'
import { ManualTime } from '@svc/testing/manual-time'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { AdminTokens } from './admin-tokens.ts'

const HOUR_MS = 3_600_000
const auditor = { name: 'finance', role: 'auditor', expiresAt: null, actor: 'operator' } as const

let store: MemoryEventStore
let time: ManualTime
let here: AdminTokens
let there: AdminTokens

/** Two gateways on one log. */
beforeEach(() => {
  store = new MemoryEventStore()
  time = new ManualTime()
  here = adminTokensOn(store, time)
  there = adminTokensOn(store, time)
})

describe('an admin token', () => {
  test('opens by its secret, which is stored nowhere', async () => {
    const { tokenId, secret } = await newAdminToken(here, auditor)
    expect(secret).toMatch(/^svc-admin-[0-9a-z]{26}-[0-9A-Za-z]{38}$/)
    const token = await here.inForce(secret)
    expect(token).toMatchObject({ tokenId, role: 'auditor' })
    expect(await withTextsShown(textsBeside(store), token?.name)).toBe('finance')
    const events = await store.readAll({ after: START, limit: 10 })
    const written = Buffer.from(events.map(({ data, metadata }) => data + metadata).join())
    expect(written.includes(secret)).toBe(false)
    expect(written.includes('finance')).toBe(false)
    expect(written.includes(secret.slice(-38))).toBe(false)
    expect(JSON.stringify(await here.list())).not.toContain(secret)
  })

  test('opens nothing when any part of its secret differs', async () => {
    const { secret } = await newAdminToken(here, auditor)
    const other = await newAdminToken(here, { ...auditor, name: 'other' })
    const mixed = secret.slice(0, 'svc-admin-'.length + 27) + other.secret.slice(-38)
    for (const wrong of [mixed, secret.slice(0, -1), `${secret}x`, secret.toLowerCase(), '']) {
      expect(here.isKnown(wrong)).toBe(false)
      expect(await here.inForce(wrong)).toBeUndefined()
    }
  })

  test('ends at once where it is revoked, and within a second elsewhere', async () => {
    const { tokenId, secret } = await newAdminToken(here, auditor)
    expect(await there.inForce(secret)).toBeDefined()
    const revoked = await here.revoke(tokenId, 'lost', 'operator')
    expect(revoked).toEqual({ revokedAt: time.nowMs(), alreadyRevoked: false })
    expect(await here.inForce(secret)).toBeUndefined()
    expect(await here.isStillInForce(tokenId)).toBe(false)
    await time.advance(999)
    expect(await there.inForce(secret)).toBeUndefined()
    expect(await there.isStillInForce(tokenId)).toBe(false)
  })

  test('ends within a second elsewhere, also where the log is slow to be read', async () => {
    const { tokenId, secret } = await newAdminToken(here, auditor)
    const slow = slowReads(store)
    const slowly = adminTokensOn(slow.store, time)
    expect(await slowly.inForce(secret)).toBeDefined()
    await time.advance(999)
    const { promise, resolve } = Promise.withResolvers<void>()
    slow.gate = promise
    const before = slowly.inForce(secret)
    await here.revoke(tokenId, 'lost', 'operator')
    await time.advance(999)
    const after = slowly.inForce(secret)
    resolve()
    expect(await before).toBeDefined()
    expect(await after).toBeUndefined()
  })

  test('ends once: whoever revokes it again is told since when', async () => {
    const { tokenId } = await newAdminToken(here, auditor)
    const { revokedAt } = await here.revoke(tokenId, 'lost', 'operator')
    await time.advance(HOUR_MS)
    const again = { revokedAt, alreadyRevoked: true }
    expect(await here.revoke(tokenId, 'again', 'operator')).toEqual(again)
    expect(await there.revoke(tokenId, 'again', 'operator')).toEqual(again)
    expect(await store.readAll({ after: START, limit: 10 })).toHaveLength(2)
    await expect(here.revoke('tok_x', 'x', 'operator')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('revoked by two gateways at the same moment has one revocation', async () => {
    const { tokenId } = await newAdminToken(here, auditor)
    await there.list()
    const both = [here, there].map((tokens, index) =>
      tokens.revoke(tokenId, `lost ${index}`, 'operator'),
    )
    const [one, other] = await Promise.all(both)
    expect(one?.revokedAt).toBe(other?.revokedAt)
    expect(await store.readAll({ after: START, limit: 10 })).toHaveLength(2)
    expect(await here.list()).toEqual(await there.list())
  })

  test('that expires ends to the millisecond', async () => {
    const expiresAt = time.nowMs() + HOUR_MS
    const { secret } = await newAdminToken(here, { ...auditor, expiresAt })
    await time.advance(HOUR_MS - 1)
    expect(await here.inForce(secret)).toBeDefined()
    await time.advance(1)
    expect(await here.inForce(secret)).toBeUndefined()
    expect(here.isKnown(secret)).toBe(true)
  })

  test('needs an end that is to come, and a name that no other ever had', async () => {
    const past = newAdminToken(here, { ...auditor, expiresAt: time.nowMs() })
    await expect(past).rejects.toMatchObject({ code: 'invalid_value', param: 'expires_at' })
    const { tokenId } = await newAdminToken(here, auditor)
    await here.revoke(tokenId, 'lost', 'operator')
    for (const tokens of [here, there]) {
      const again = newAdminToken(tokens, auditor)
      await expect(again).rejects.toMatchObject({ code: 'conflict', param: 'name' })
    }
    expect(await here.list()).toHaveLength(1)
  })
})

describe('while the store is away', () => {
  test('tokens are believed for a few seconds, and then none is', async () => {
    const { secret } = await newAdminToken(here, auditor)
    const broken = brokenReads(store)
    const tokens = adminTokensOn(broken.store, time)
    expect(await tokens.inForce(secret)).toBeDefined()
    broken.isAway = true
    await time.advance(4_000)
    expect(await tokens.inForce(secret)).toBeDefined()
    await time.advance(2_000)
    await expect(tokens.inForce(secret)).rejects.toMatchObject({ code: 'store_unavailable' })
    broken.isAway = false
    expect(await tokens.inForce(secret)).toBeDefined()
  })

  test('they still open metrics, which tell that it is away, until they end by time', async () => {
    const watcher = { ...auditor, role: 'metrics', expiresAt: time.nowMs() + HOUR_MS } as const
    const { secret } = await newAdminToken(here, watcher)
    const broken = brokenReads(store)
    const get = await gets(adminTokensOn(broken.store, time), secret)
    expect(await get('/metrics')).toBe(200)
    broken.isAway = true
    await time.advance(10_000)
    expect([await get('/metrics'), await get('/status')]).toEqual([200, 503])
    await time.advance(HOUR_MS)
    expect(await get('/metrics')).toBe(503)
    broken.isAway = false
    expect(await get('/metrics')).toBe(401)
  })

  test('they open metrics in time when it hangs', async () => {
    const { secret } = await newAdminToken(here, { ...auditor, role: 'metrics' })
    const slow = slowReads(store)
    const get = await gets(adminTokensOn(slow.store, time), secret)
    expect(await get('/metrics')).toBe(200)
    slow.gate = new Promise(() => {})
    await time.advance(10_000)
    expect(await get('/metrics')).toBe(200)
  })

  test('a token that is known to be revoked, or to nobody, opens no metrics', async () => {
    const { tokenId, secret } = await newAdminToken(here, { ...auditor, role: 'metrics' })
    await here.revoke(tokenId, 'lost', 'operator')
    const broken = brokenReads(store)
    const tokens = adminTokensOn(broken.store, time)
    const other = await newAdminToken(there, { ...auditor, name: 'other', role: 'metrics' })
    expect(await tokens.inForce(secret)).toBeUndefined()
    broken.isAway = true
    await time.advance(10_000)
    const wrong = other.secret.slice(0, -1)
    for (const each of [secret, wrong]) {
      const get = await gets(tokens, each)
      expect(await get('/metrics')).toBeGreaterThanOrEqual(401)
    }
  })

  test('a list that was never read is no list', async () => {
    const { secret } = await newAdminToken(here, auditor)
    const broken = brokenReads(store)
    broken.isAway = true
    const inForce = adminTokensOn(broken.store, time).inForce(secret)
    await expect(inForce).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  test('what is no secret at all costs no look', async () => {
    const broken = brokenReads(store)
    broken.isAway = true
    expect(await adminTokensOn(broken.store, time).inForce('svc-admin-x')).toBeUndefined()
  })
})

/** Serves the admin routes by these tokens. @returns asks for a path, and tells the status */
async function gets(adminTokens: AdminTokens, secret: string) {
  const operations = {} as Operations
  const metrics = { text: async () => '' }
  const server = await startAdminServer({ operations, operatorToken: 'root', adminTokens, metrics })
  onTestFinished(() => server.close())
  const headers = { authorization: `Bearer ${secret}` }
  return async (path: string) =>
    (await fetch(`${server.baseUrl}/admin/v1${path}`, { headers })).status
}

/**
 * Makes a store whose reads come when the gate opens, with what was there when they were asked for.
 */
function slowReads(inner: EventStore): { readonly store: EventStore; gate: Promise<void> } {
  const switched = { gate: Promise.resolve() }
  const readStream: EventStore['readStream'] = async (request) => {
    const page = await inner.readStream(request)
    await switched.gate
    return page
  }
  return Object.assign(switched, { store: withReads(inner, readStream) })
}

function brokenReads(inner: EventStore): { readonly store: EventStore; isAway: boolean } {
  const switched = { isAway: false }
  const readStream: EventStore['readStream'] = async (request) => {
    if (switched.isAway) throw new StoreUnavailableError('away')
    return inner.readStream(request)
  }
  return Object.assign(switched, { store: withReads(inner, readStream) })
}

function withReads(inner: EventStore, readStream: EventStore['readStream']): EventStore {
  return new Proxy(inner, {
    get: (target, name) =>
      name === 'readStream' ? readStream : Reflect.get(target, name).bind(target),
  })
}
