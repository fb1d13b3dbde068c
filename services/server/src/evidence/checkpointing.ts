/** Signs a checkpoint every minute while events come, and when the service stops. */
import { ServiceError } from '@svc/contracts/errors'
import { pause, runUntilStopped, type Timer } from '@svc/contracts/ports/time'
import type { Checkpointer } from '@svc/projections/checkpointer'
import type { Logger } from 'pino'
import type { DataFolder } from '../data-folder/data-folder.ts'

const CHECKPOINT_EVERY_MS = 60_000

export interface CheckpointingPorts {
  readonly checkpointer: Pick<Checkpointer, 'sign'>
  readonly folder: Pick<DataFolder, 'readCheckpoint' | 'writeCheckpoint'>
  readonly timer: Timer
  readonly logger: Pick<Logger, 'error'>
}

/** @returns stops it, after a last checkpoint */
export function startCheckpointing(ports: CheckpointingPorts): () => Promise<void> {
  return runUntilStopped(async (signal) => {
    while (!signal.aborted) {
      await pause(ports.timer, CHECKPOINT_EVERY_MS, signal)
      await checkpoint(ports)
    }
  })
}

async function checkpoint(ports: CheckpointingPorts): Promise<void> {
  const { checkpointer, folder, logger } = ports
  try {
    const { note } = await checkpointer.sign()
    if (note !== folder.readCheckpoint()) folder.writeCheckpoint(note)
  } catch (error) {
    // Views may be built anew at the moment. The next minute's checkpoint has all of it.
    if (error instanceof ServiceError && error.code === 'view_behind') return
    logger.error({ err: error }, 'failed to sign a checkpoint, retrying in a minute')
  }
}
