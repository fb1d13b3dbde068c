/**
 * Fields of the chat format that this service knows and cannot honour. To ignore them would change
 * what the caller gets, so each is refused by name. Fields that are not known at all are ignored,
 * as clients send many that only other services understand.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { JsonObject } from '@svc/contracts/strict-json'

interface Rule {
  readonly field: string
  readonly code: 'unsupported_parameter' | 'unsupported_value'
  /** Whether the value asks for nothing that we lack. Null and absent never reach this. */
  readonly harmless: (value: unknown) => boolean
  readonly message: string
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0
const isTextOnly = (value: unknown) =>
  Array.isArray(value) && value.length === 1 && value[0] === 'text'

const parameter = (
  field: string,
  message: string,
  harmless: Rule['harmless'] = () => false,
): Rule => ({ field, code: 'unsupported_parameter', harmless, message })
const value = (field: string, message: string, harmless: Rule['harmless']): Rule => ({
  field,
  code: 'unsupported_value',
  harmless,
  message,
})

const OLD_FUNCTIONS = 'Functions of the old kind are not supported: use tools.'

const rules: readonly Rule[] = [
  parameter('functions', OLD_FUNCTIONS, isEmptyList),
  value('function_call', OLD_FUNCTIONS, (choice) => choice === 'none'),
  value('n', 'Only one choice per request is supported: n must be 1.', (n) => n === 1),
  value('modalities', 'This is a text-only model: modalities must be ["text"].', isTextOnly),
  parameter('audio', 'This is a text-only model.'),
  parameter('web_search_options', 'Web search is not supported.'),
  parameter('moderation', 'Moderation is not supported.'),
]

/** @throws {ServiceError} naming the first field that cannot be honoured */
export function refuseUnsupported(body: JsonObject): void {
  for (const { field, code, harmless, message } of rules) {
    const given = body[field]
    if (given === undefined || given === null || harmless(given)) continue
    throw new ServiceError(code, message, { param: field })
  }
}
