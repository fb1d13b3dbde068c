/** Which errors a route can answer with. The tests hold every error that a gateway gives to it. */
import type { ErrorCode } from '@svc/contracts/errors'
import { z } from 'zod'
import type { Operation } from './paths/operation.ts'

const anywhere = [
  'invalid_request',
  'invalid_value',
  'url_too_long',
  'headers_too_large',
  'request_timeout',
  'rate_limit_exceeded',
  'internal_error',
  'server_is_overloaded',
  'store_unavailable',
  'store_rewound',
  'shutting_down',
] as const satisfies readonly ErrorCode[]

const withKey = ['invalid_api_key', 'account_damaged'] as const satisfies readonly ErrorCode[]

const withBody = [
  'invalid_json',
  'missing_required_parameter',
  'unsupported_parameter',
  'unsupported_value',
  'request_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[]

/**
 * Errors of routes that ask the model. A count is charged nothing, and takes an account that could
 * pay all the same.
 */
const ofModel = [
  'model_not_found',
  'context_length_exceeded',
  'previous_response_not_found',
  'invalid_encrypted_content',
  'worker_failed',
  'timeout',
  'schema_too_costly',
  'insufficient_quota',
  'balance_in_use',
  'account_frozen',
  'not_allowed',
  'conflict',
  'idempotency_key_in_use',
  'idempotency_answer_gone',
  'idempotency_key_reused',
  'model_not_priced',
] as const satisfies readonly ErrorCode[]

/** Errors of stored responses: streams of them are refused. */
const ofStored = ['unsupported_value'] as const satisfies readonly ErrorCode[]

/** Errors of what views answer. */
const ofViews = ['view_behind'] as const satisfies readonly ErrorCode[]

const ofOperator = [
  ...['invalid_api_key', 'not_allowed', 'not_found', 'conflict', 'confirmation_required'],
  ...['model_not_priced', 'server_not_running', 'account_damaged', 'account_frozen'],
  ...['evidence_contradicted', 'view_behind', 'feed_unavailable', 'backup_failed'],
] as const satisfies readonly ErrorCode[]

/**
 * Lists the errors in the order of the catalogue's families: what every request can meet comes
 * last.
 */
export function errorsOf({ path, body, query, tag, method }: Operation): readonly ErrorCode[] {
  const isOpen = path.startsWith('/evidence/')
  return [
    ...(body === undefined ? [] : withBody),
    ...(needsField(query) ? (['missing_required_parameter'] as const) : []),
    ...(tag === 'Inference' && method === 'post' ? ofModel : []),
    ...(tag === 'Inference' && method === 'get' ? ofStored : []),
    ...(namesOne(path, query) ? (['not_found'] as const) : []),
    ...(tag === 'Billing' || tag === 'Evidence' ? ofViews : []),
    ...(tag === 'Evidence' ? (['evidence_contradicted'] as const) : []),
    ...(isOpen ? [] : withKey),
    ...anywhere,
  ]
}

/** A request by its path, or a key to filter by. */
function namesOne(path: string, query: Operation['query']): boolean {
  return path.includes('{') || 'key_id' in (query?.shape ?? {})
}

function needsField(query: Operation['query']): boolean {
  return Object.values(query?.shape ?? {}).some((field) => !z.safeParse(field, undefined).success)
}

/**
 * Lists the errors of an operation of the operator. Without a body, fields of a query can be
 * missing.
 */
export function operatorErrors(hasBody: boolean): readonly ErrorCode[] {
  const ofFields = hasBody ? withBody : (['missing_required_parameter'] as const)
  return [...ofFields, ...ofOperator, ...anywhere]
}
