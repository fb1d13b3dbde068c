/** What the server said instead of an answer. */
export interface Refusal {
  /** The status of HTTP; 0 when the server was not reached. */
  readonly status: number
  readonly code: string
  /** What the server says to people, in its own words. */
  readonly message: string
  /** The field at fault. */
  readonly param?: string | null
  readonly requestId?: string | null
  /** Whether the server says that the same will be refused again: default, it does not say so. */
  readonly isFinal?: boolean
}

/** Of HTTP. */
const NOT_READY = 503
/** Of HTTP: from here on the fault is not with what was sent. */
const SERVER_FAULT = 500

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly param: string | null
  readonly requestId: string | null
  readonly isFinal: boolean

  constructor(refusal: Refusal) {
    const { status, code, message, param = null, requestId = null, isFinal = false } = refusal
    super(message)
    this.status = status
    this.code = code
    this.param = param
    this.requestId = requestId
    this.isFinal = isFinal
  }
}

/** Whether the server was not reached at all. */
export function isUnreached(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0
}

/** Whether the same may be answered later: the server was away, or says that it is not ready. */
export function isForNow(error: unknown): boolean {
  if (isUnreached(error)) return true
  return error instanceof ApiError && error.status === NOT_READY && !error.isFinal
}

/** Whether what was sent may have been done all the same: its answer was lost, or says neither. */
export function isDoubtful(error: unknown): boolean {
  if (isUnreached(error)) return true
  return error instanceof ApiError && error.status >= SERVER_FAULT
}

/** Reads a refusal, also one that a proxy on the way made in a shape of its own. */
export async function refusalOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null)
  const error = isRecord(body) && isRecord(body.error) ? body.error : {}
  return new ApiError({
    status: response.status,
    code: text(error.code) ?? text(error.type) ?? `http_${response.status}`,
    message: text(error.message) ?? '',
    param: text(error.param),
    requestId: response.headers.get('x-request-id'),
    isFinal: response.headers.get('x-should-retry') === 'false',
  })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
