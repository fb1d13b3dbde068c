import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'
import type { WorkerScript } from './script.ts'
import { ScriptedWorker } from './scripted-worker.ts'

/**
 * For servers that are not tested for what their model says: to load one takes as long as all else
 * of a start.
 *
 * @returns the settings of such servers. Their worker ends with the test.
 */
export async function withoutModel(
  script: Partial<WorkerScript> = {},
): Promise<{ readonly SVC_WORKER_URLS: string }> {
  const socketPath = join(temporaryFolder(), 'worker.sock')
  const worker = new ScriptedWorker({ socketPath, script }, false)
  await worker.listen()
  onTestFinished(() => worker.close())
  return { SVC_WORKER_URLS: `unix:${socketPath}` }
}
