/** Asks a worker on a unix socket how it is. */
import { within } from '@svc/contracts/ports/within'
import { type HealthResponse, healthResponse, workerPaths } from '@svc/contracts/worker/protocol'
import { request } from '@svc/infra/http/node-http'
import { bytesWithin } from '@svc/infra/system/bounded-bytes'
import { patientTimer } from '@svc/infra/system/patient-timer'

const ANSWER_BYTES_MAX = 64 * 1024
/** This process can open no connection, which says nothing of the worker. */
const NO_FILE_LEFT: readonly unknown[] = ['EMFILE', 'ENFILE']

/** Nobody listens, or whoever did has gone: most likely the process has ended. */
const NOBODY_THERE: readonly unknown[] = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE']

type Health = HealthResponse | 'not asked' | 'nobody there' | null

/** @returns the answer; null when there was none in time, or none that can be read */
export async function checkHealth(socketPath: string, timeoutMs: number): Promise<Health> {
  const { promise, resolve } = Promise.withResolvers<Health>()
  const asked = request({ socketPath, path: workerPaths.health, agent: false }, (response) => {
    const bytes = bytesWithin(ANSWER_BYTES_MAX, response)
    resolve(bytes.then(parseHealth, () => null))
  })
  asked.on('error', (error: NodeJS.ErrnoException) => {
    if (NO_FILE_LEFT.includes(error.code)) resolve('not asked')
    else resolve(NOBODY_THERE.includes(error.code) ? 'nobody there' : null)
  })
  asked.on('close', () => resolve(null))
  asked.end()
  const answer = await within(patientTimer, timeoutMs, promise, null)
  asked.destroy()
  return answer
}

function parseHealth(bytes: Buffer | undefined): HealthResponse | null {
  if (bytes === undefined) return null
  try {
    return healthResponse.parse(JSON.parse(bytes.toString()))
  } catch {
    return null
  }
}
