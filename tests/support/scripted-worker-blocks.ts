/**
 * Names of a prompt's blocks as a real worker makes them, with a message in place of 128 tokens:
 * each is keyed by the tenant and by everything before it, and the last message is never in one.
 */
import { createHmac } from 'node:crypto'
import type { PrepareRequest } from '@svc/contracts/worker/protocol'

const NAME_CHARACTERS = 32

export function messageBlocks({ tenant, messages }: PrepareRequest): string[] {
  let name = ''
  return messages.slice(0, -1).map((message) => {
    const text = `${name}${JSON.stringify(message)}`
    name = createHmac('sha256', tenant).update(text).digest('hex').slice(0, NAME_CHARACTERS)
    return name
  })
}
