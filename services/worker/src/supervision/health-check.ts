/** Asks a worker on a unix socket how it is. */
import { within } from '@svc/contracts/ports/within'
import { type HealthResponse, healthResponse, workerPaths } from '@svc/contracts/worker/protocol'
import { request } from '@svc/infra/http/node-http'
import { patientTimer } from '@svc/infra/system/patient-timer'

const ANSWER_BYTES_MAX = 64 * 1024

/**
 * @returns the answer, or null when there was none in time
 */
export async function checkHealth(
  socketPath: string,
  timeoutMs: number,
): Promise<HealthResponse | null> {
  const { promise, resolve } = Promise.withResolvers<HealthResponse | null>()
  const asked = request({ socketPath, path: workerPaths.health, agent: false }, (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      text += chunk
      if (text.length > ANSWER_BYTES_MAX) asked.destroy()
    })
    response.on('end', () => resolve(parseHealth(text)))
  })
  asked.on('error', () => resolve(null)).on('close', () => resolve(null))
  asked.end()
  const answer = await within(patientTimer, timeoutMs, promise, null)
  asked.destroy()
  return answer
}

function parseHealth(text: string): HealthResponse | null {
  try {
    return healthResponse.parse(JSON.parse(text))
  } catch {
    return null
  }
}
