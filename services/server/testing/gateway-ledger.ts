/** A ledger as a gateway has it, over a store in memory that several may share. */
import type { EventStore } from '@svc/contracts/ports/event-store'
import { openRunningLedger, type RunningLedger } from '@svc/testing/ledger/running-ledger'
import { onTestFinished } from 'vitest'

export const rates = { input: 2n, cachedInput: 1n, output: 3n }

/** It is closed with the test. */
export async function openGatewayLedger(store: EventStore): Promise<RunningLedger> {
  const running = await openRunningLedger(store)
  onTestFinished(() => running.ledger.close())
  return running
}
