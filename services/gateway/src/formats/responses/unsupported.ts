/**
 * Fields of the format that this service knows and cannot honour. To ignore them would change what
 * the caller gets, so each is refused by name. Fields that are not known at all are ignored.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { JsonObject } from '@svc/contracts/strict-json'

interface Rule {
  readonly message: string
  /** Whether the value asks for nothing that we lack. Null and absent never reach this. */
  readonly harmless?: (value: unknown) => boolean
}

const rules: Readonly<Record<string, Rule>> = {
  conversation: {
    message: 'Conversation objects are not supported: go on with previous_response_id.',
  },
  background: {
    message: 'Responses are not run in the background.',
    harmless: (value) => value === false,
  },
  prompt: { message: 'Prompt templates are not supported: send the text itself.' },
  moderation: { message: 'Moderation is not supported.' },
  access_programs: { message: 'Access programs are not supported.' },
  truncation: {
    message: 'Nothing is dropped to make a conversation fit: truncation must be "disabled".',
    harmless: (value) => value === 'disabled',
  },
}

/** @throws {ServiceError} naming the first field that cannot be honoured */
export function refuseUnsupported(body: JsonObject): void {
  for (const [field, { message, harmless }] of Object.entries(rules)) {
    const given = body[field]
    if (given === undefined || given === null || harmless?.(given)) continue
    const code = harmless === undefined ? 'unsupported_parameter' : 'unsupported_value'
    throw new ServiceError(code, message, { param: field })
  }
}
