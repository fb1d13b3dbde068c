/** A ledger as a gateway runs it, on the time and the randomness of this process. */
import { randomBytes } from 'node:crypto'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { TextStore } from '@svc/contracts/ports/text-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { MemorySnapshotStore } from '@svc/infra/snapshot-store/memory/memory-snapshot-store'
import { steadyClock } from '@svc/infra/system/steady-clock'
import { systemClock } from '@svc/infra/system/system-clock'
import { SystemIds } from '@svc/infra/system/system-ids'
import { systemTimer } from '@svc/infra/system/system-timer'
import { MemoryTextStore } from '@svc/infra/text-store/memory/memory-text-store'
import { createLedger } from '@svc/ledger/create-ledger'
import type { Ledger } from '@svc/ledger/ledger'

type LedgerDependencies = Parameters<typeof createLedger>[0]
type Limits = NonNullable<LedgerDependencies['limits']>

export interface RunningLedger {
  readonly ledger: Ledger
  readonly gatewayId: string
  readonly texts: TextStore
}

/** @param store may be shared by several; whoever opens a ledger closes it */
export async function openRunningLedger(
  store: EventStore = new MemoryEventStore(),
  limits: Limits = {},
  kept: Pick<LedgerDependencies, 'erasures'> & { readonly texts?: TextStore } = {},
): Promise<RunningLedger> {
  const { texts = new MemoryTextStore(), ...notes } = kept
  const ids = new SystemIds(systemClock)
  const gatewayId = ids.next('gw')
  const ledger = await createLedger({
    store,
    snapshots: new MemorySnapshotStore(),
    texts,
    clock: systemClock,
    steadyClock,
    timer: systemTimer,
    ids,
    randomBytes,
    gatewayId,
    limits,
    ...notes,
  })
  return { ledger, gatewayId, texts }
}
