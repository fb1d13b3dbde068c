/**
 * The catalogue of every error that a caller can get.
 *
 * A code is stable and means one thing. Clients decide by status and type whether to retry,
 * so a code that must not be retried says so.
 * `docs/reference/errors.md` is kept equal to this file by a test.
 */

export interface ErrorEntry {
  /** HTTP status in the OpenAI formats; the Messages format differs only where it says so. */
  readonly status: number
  /** `error.type` in the two OpenAI formats. */
  readonly openaiType: string
  /** `error.type` in the Messages format. */
  readonly anthropicType: string
  /**
   * Whether sending the same again can help. If not, `x-should-retry: false` says so from 401 on,
   * and there is never a `Retry-After`.
   */
  readonly retry: boolean
  /** Describes the error in one line for the reference page. */
  readonly doc: string
}

export const errorCatalogue = {
  invalid_json: {
    status: 400,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'The body is not one well-formed JSON object, or is nested too deeply.',
  },
  invalid_request: {
    status: 400,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'The HTTP request itself is malformed.',
  },
  invalid_value: {
    status: 400,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'A field has a wrong type or a value out of range; `param` names it.',
  },
  missing_required_parameter: {
    status: 400,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'A required field is absent; `param` names it.',
  },
  unsupported_parameter: {
    status: 400,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'A field that this service cannot honour, and will not silently ignore; `param` names it.',
  },
  unsupported_value: {
    status: 400,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'A field whose value this service cannot honour; `param` names it.',
  },
  schema_too_costly: {
    status: 400,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'The answer came to a place where its schema takes too long to follow; what was computed is charged.',
  },
  model_not_found: {
    status: 400,
    openaiType: 'invalid_request_error',
    anthropicType: 'not_found_error',
    retry: false,
    doc: 'The model is neither the callable model nor one of its deprecated names.',
  },
  context_length_exceeded: {
    status: 400,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'The prompt, or the prompt and the asked-for output, do not fit the context of the model.',
  },
  previous_response_not_found: {
    status: 400,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'The response to go on from was not stored, has expired, or belongs to another account.',
  },
  invalid_encrypted_content: {
    status: 400,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'An `encrypted_content` that was altered, or that belongs to another account or server.',
  },
  invalid_api_key: {
    status: 401,
    openaiType: 'invalid_request_error',
    anthropicType: 'authentication_error',
    retry: false,
    doc: 'No key, or a key that is malformed, unknown, expired or revoked: one answer for all.',
  },
  not_signed_in: {
    status: 401,
    openaiType: 'invalid_request_error',
    anthropicType: 'authentication_error',
    retry: false,
    doc: 'A route of the dashboard, without a session that goes on: sign in. An API key means nothing there.',
  },
  wrong_credentials: {
    status: 401,
    openaiType: 'invalid_request_error',
    anthropicType: 'authentication_error',
    retry: false,
    doc: 'The e-mail address or the password is wrong, or the user is disabled; which of them is not said.',
  },
  sign_in_refused: {
    status: 401,
    openaiType: 'invalid_request_error',
    anthropicType: 'authentication_error',
    retry: false,
    doc: 'A sign-in by a passkey, an identity provider or a proxy does not hold, or came too late; begin it again.',
  },
  insufficient_quota: {
    status: 402,
    openaiType: 'insufficient_quota',
    anthropicType: 'billing_error',
    retry: false,
    doc: 'The balance does not cover the request; the message names the needed and the available amount, and `funds` in the error has them for programs.',
  },
  balance_in_use: {
    status: 402,
    openaiType: 'insufficient_quota',
    anthropicType: 'billing_error',
    // Unlike an empty balance, this one has credit: it comes free by itself.
    retry: true,
    doc: 'The request waited for credit that running requests hold, and none came free in time; `Retry-After` says when to ask again, and `funds` how much is held.',
  },
  not_allowed: {
    status: 403,
    openaiType: 'invalid_request_error',
    anthropicType: 'permission_error',
    retry: false,
    doc: 'The caller is known but may not do this.',
  },
  account_frozen: {
    status: 403,
    openaiType: 'invalid_request_error',
    anthropicType: 'permission_error',
    retry: false,
    doc: 'The operator has frozen the account. No request is taken until it is unfrozen; what runs is stopped, and what of it had been sent is charged.',
  },
  not_found: {
    status: 404,
    openaiType: 'invalid_request_error',
    anthropicType: 'not_found_error',
    retry: false,
    doc: 'No such object, or it belongs to another account; `param` names the field that named it.',
  },
  unknown_url: {
    status: 404,
    openaiType: 'invalid_request_error',
    anthropicType: 'not_found_error',
    retry: false,
    doc: 'No such path; the message names the base address to use.',
  },
  method_not_allowed: {
    status: 405,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'The path exists, with other methods; the `Allow` header lists them.',
  },
  request_timeout: {
    status: 408,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: true,
    doc: 'The request arrived too slowly.',
  },
  confirmation_required: {
    status: 409,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'What was asked for looks like a mistake, and is done only with `confirm`; the message says why.',
  },
  another_user: {
    status: 409,
    openaiType: 'invalid_request_error',
    anthropicType: 'conflict_error',
    retry: false,
    doc: 'A page of the dashboard that shows another user than the one who is signed in by now, such as by another tab; nothing was done. The page loads itself anew.',
  },
  conflict: {
    status: 409,
    openaiType: 'invalid_request_error',
    anthropicType: 'conflict_error',
    retry: false,
    doc: 'The object changed, or already exists with other content.',
  },
  idempotency_key_in_use: {
    status: 409,
    openaiType: 'invalid_request_error',
    anthropicType: 'conflict_error',
    retry: true,
    doc: 'A request with this `Idempotency-Key` is still running.',
  },
  idempotency_answer_gone: {
    status: 409,
    openaiType: 'invalid_request_error',
    anthropicType: 'conflict_error',
    retry: false,
    doc: 'The request of this `Idempotency-Key` has ended and its answer is no longer kept; it is not run twice, and its receipt is named.',
  },
  idempotency_key_reused: {
    status: 422,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'This `Idempotency-Key` was used with a different body.',
  },
  request_too_large: {
    status: 413,
    openaiType: 'invalid_request_error',
    anthropicType: 'request_too_large',
    retry: false,
    doc: 'The body is larger than the limit.',
  },
  url_too_long: {
    status: 414,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'The URL is longer than the limit.',
  },
  unsupported_media_type: {
    status: 415,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'The body is not `application/json`, or is compressed.',
  },
  headers_too_large: {
    status: 431,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'Too many or too large request headers.',
  },
  upgrade_refused: {
    status: 426,
    openaiType: 'invalid_request_error',
    anthropicType: 'invalid_request_error',
    retry: false,
    doc: 'The path is spoken over plain HTTP only, not over a WebSocket.',
  },
  rate_limit_exceeded: {
    status: 429,
    openaiType: 'requests',
    anthropicType: 'rate_limit_error',
    retry: true,
    doc: 'Too many requests at once for this key or account; `Retry-After` says when to come back.',
  },
  internal_error: {
    status: 500,
    openaiType: 'server_error',
    anthropicType: 'api_error',
    retry: true,
    doc: 'A defect in the service. Nothing is charged beyond what was metered.',
  },
  provider_unavailable: {
    status: 503,
    openaiType: 'server_error',
    anthropicType: 'api_error',
    retry: true,
    doc: 'The identity provider that signs people in does not answer; a password and a passkey still work.',
  },
  worker_failed: {
    status: 503,
    openaiType: 'server_error',
    anthropicType: 'overloaded_error',
    retry: true,
    doc: 'The inference worker failed while it ran the request. Before any output nothing is charged.',
  },
  model_not_priced: {
    status: 503,
    openaiType: 'server_error',
    anthropicType: 'api_error',
    retry: false,
    doc: 'No price is in force for the model that is served, so it cannot be sold. Nothing was charged.',
  },
  server_not_running: {
    status: 503,
    openaiType: 'server_error',
    anthropicType: 'api_error',
    retry: false,
    doc: 'For operators: the data folder of a stopped server was asked for what only a running one has.',
  },
  server_is_overloaded: {
    status: 503,
    openaiType: 'server_error',
    anthropicType: 'overloaded_error',
    retry: true,
    doc: 'A queue is full, or no worker is ready; `Retry-After` says when to come back.',
  },
  account_damaged: {
    status: 503,
    openaiType: 'server_error',
    anthropicType: 'api_error',
    retry: false,
    doc: 'The records of this account were deleted, shortened or altered in the event store. Nothing is read from them or charged until the operator has put them right; other accounts are served.',
  },
  backup_failed: {
    status: 507,
    openaiType: 'server_error',
    anthropicType: 'api_error',
    retry: false,
    doc: 'A backup of the data folder could not be written; nothing of it was kept.',
  },
  feed_unavailable: {
    status: 503,
    openaiType: 'server_error',
    anthropicType: 'api_error',
    retry: true,
    doc: 'For operators: the Kafka to which events are sent does not answer, or refuses; the message says why.',
  },
  store_unavailable: {
    status: 503,
    openaiType: 'server_error',
    anthropicType: 'overloaded_error',
    retry: true,
    doc: 'The event store cannot take the request now. Nothing was charged.',
  },
  store_rewound: {
    status: 503,
    openaiType: 'server_error',
    anthropicType: 'api_error',
    retry: false,
    doc: 'The event store does not hold what it held before: an older copy was restored, or another server stands in its place. Nothing is accepted or charged until the operator has put it right.',
  },
  evidence_contradicted: {
    status: 503,
    openaiType: 'server_error',
    anthropicType: 'api_error',
    retry: false,
    doc: 'The event log is not what was signed before, so nothing is signed until the operator has looked into it.',
  },
  view_behind: {
    status: 503,
    openaiType: 'server_error',
    anthropicType: 'overloaded_error',
    retry: true,
    doc: 'A read model has not yet seen all that the question is about; `Retry-After` says when to ask again.',
  },
  shutting_down: {
    status: 503,
    openaiType: 'server_error',
    anthropicType: 'overloaded_error',
    retry: true,
    doc: 'The server is stopping and takes no new requests.',
  },
  timeout: {
    status: 504,
    openaiType: 'server_error',
    anthropicType: 'timeout_error',
    // Clients that repeat it by themselves would pay for the same long run again.
    retry: false,
    doc: 'The request ran longer than the limit and was stopped; what was made is charged, and nothing where the message says so.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorCatalogue
