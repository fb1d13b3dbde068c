/** The ledger on real files: what was promised before a restart is there after it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { START } from '@svc/contracts/ports/event-store'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { openSqliteSnapshotStore } from '@svc/infra/snapshot-store/sqlite/sqlite-snapshot-store'
import { check } from '@svc/testing/checker/check'
import type { ClientAnswer } from '@svc/testing/checker/history'
import { ending, openFunded, openLedger, request } from '@svc/testing/ledger/open-ledger'
import { ManualTime } from '@svc/testing/manual-time'
import { afterAll, describe, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'svc-ledger-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const time = new ManualTime()

async function start() {
  const store = openSqliteEventStore(join(folder, 'ledger.db'), {
    onFatal: (error) => {
      throw error
    },
  })
  const snapshots = openSqliteSnapshotStore(join(folder, 'snapshots.db'))
  const setting = await openLedger({
    store,
    snapshots,
    time,
    limits: { snapshotEveryEvents: 100 },
  })
  const stop = async () => {
    await setting.ledger.close()
    await store.close()
    snapshots.close()
  }
  return { ...setting, stop }
}

describe('on SQLite', () => {
  test('200 requests at once, a restart, and every answer is in the log', async () => {
    const first = await start()
    const { accountId, keyId, secret } = await openFunded(first, 1_000_000n)
    const told = await Promise.all(
      Array.from({ length: 200 }, async (_, index): Promise<ClientAnswer> => {
        const asked = request(first, keyId)
        const accepted = await first.ledger.accept(accountId, asked)
        await accepted.durable
        const outputTokens = index % 10
        const end = ending(asked.requestId, { outputTokens })
        await first.ledger.settle(accountId, end)
        const usage = { inputTokens: 10, cachedInputTokens: 0, outputTokens }
        return { requestId: asked.requestId, status: 200, usage }
      }),
    )
    const before = await first.ledger.account(accountId)
    await first.stop()

    const second = await start()
    expect(await second.ledger.authenticate(secret)).toEqual({ accountId, keyId })
    expect(await second.ledger.account(accountId)).toEqual(before)
    expect(before.balance.settled).toBe(1_000_000n - 200n * 20n - 20n * 45n * 3n)
    const events = await second.store.readAll({ after: START, limit: 10_000 })
    expect(check(told, events)).toEqual([])
    await second.stop()
  })
})
