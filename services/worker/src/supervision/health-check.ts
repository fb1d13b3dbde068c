/** Asks a worker on a unix socket how it is. */
import { request } from 'node:http'
import { type HealthResponse, healthResponse, workerPaths } from '@svc/contracts/worker/protocol'

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
  // After a stall of this process the timer fires before the answer that lies ready is read:
  // one turn of the event loop lets the answer win.
  const timer = setTimeout(() => setImmediate(() => setImmediate(() => resolve(null))), timeoutMs)
  const answer = await promise
  clearTimeout(timer)
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
