/** A ledger as a gateway has it, over a store in memory that several may share. */
import { randomBytes } from 'node:crypto'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { MemorySnapshotStore } from '@svc/infra/snapshot-store/memory/memory-snapshot-store'
import { systemClock } from '@svc/infra/system/system-clock'
import { SystemIds } from '@svc/infra/system/system-ids'
import { systemTimer } from '@svc/infra/system/system-timer'
import { createLedger } from '@svc/ledger/create-ledger'
import type { Ledger } from '@svc/ledger/ledger'
import { onTestFinished } from 'vitest'

export const rates = { input: 2n, cachedInput: 1n, output: 3n }

/** It is closed with the test. */
export async function openGatewayLedger(
  store: EventStore,
): Promise<{ ledger: Ledger; gatewayId: string }> {
  const ids = new SystemIds(systemClock)
  const gatewayId = ids.next('gw')
  const ledger = await createLedger({
    store,
    snapshots: new MemorySnapshotStore(),
    clock: systemClock,
    timer: systemTimer,
    ids,
    randomBytes,
    gatewayId,
  })
  onTestFinished(() => ledger.close())
  return { ledger, gatewayId }
}
