/** Signs a checkpoint every minute while events come, and when the service stops. */
import type { EventStore } from '@svc/contracts/ports/event-store'
import { pause, type Timer } from '@svc/contracts/ports/time'
import type { Checkpointer } from '@svc/projections/checkpointer'
import type { Projections } from '@svc/projections/open-projections'
import type { Logger } from 'pino'
import type { DataFolder } from '../data-folder/data-folder.ts'

const CHECKPOINT_EVERY_MS = 60_000
/** Then the next minute's checkpoint has what this one lacks. */
const VIEW_WAIT_MS = 5_000

export interface CheckpointingPorts {
  readonly checkpointer: Checkpointer
  readonly store: Pick<EventStore, 'lastPosition'>
  readonly projections: Pick<Projections, 'reached'>
  readonly folder: Pick<DataFolder, 'readCheckpoint' | 'writeCheckpoint'>
  readonly timer: Timer
  readonly logger: Pick<Logger, 'error'>
}

/** @returns stops it, after a last checkpoint */
export function startCheckpointing(ports: CheckpointingPorts): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = (async () => {
    while (!signal.aborted) {
      await pause(ports.timer, CHECKPOINT_EVERY_MS, signal)
      await checkpoint(ports)
    }
  })()
  return async () => {
    stopping.abort()
    await running
  }
}

async function checkpoint(ports: CheckpointingPorts): Promise<void> {
  const { checkpointer, store, projections, folder, logger } = ports
  try {
    const head = await store.lastPosition()
    // Of a tree that is behind nothing is signed: it could be smaller than the last checkpoint.
    if (!(await projections.reached(head, VIEW_WAIT_MS, 'evidence'))) return
    const { note } = checkpointer.sign()
    if (note !== folder.readCheckpoint()) folder.writeCheckpoint(note)
  } catch (error) {
    logger.error({ err: error }, 'failed to sign a checkpoint, trying again in a minute')
  }
}
