/** The codes tell a script how `svc` ended. An unknown code that is not 0 is a failure too. */
import { type ErrorCode, ServiceError } from '@svc/contracts/errors'
import { BrokenChainError, StoreUnavailableError } from '@svc/contracts/ports/event-store'

export const EXIT_OK = 0
/** A check found a difference. Also every failure that no other code names. */
export const EXIT_DIFFERENCE = 1
/** The command line cannot be understood, or a value in it cannot be used. */
export const EXIT_USAGE = 2
export const EXIT_NOT_FOUND = 3
/** The admin token, or the user of the EventStoreDB, is missing, wrong or may not do this. */
export const EXIT_NOT_ALLOWED = 4
/** The thing is there already, has changed, or is held by another process. */
export const EXIT_CONFLICT = 5
/** The service, its store or its Kafka cannot be reached. */
export const EXIT_UNREACHABLE = 6
/** A read model is too far behind for the question. */
export const EXIT_STALE = 7
/** The output cannot be written: the disk is full. What was asked may have been done. */
export const EXIT_OUTPUT = 9
export const EXIT_INTERRUPTED = 130

/** A failure of the CLI itself. Its message is one line that says what to do. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: number

  constructor(exitCode: number, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

const codesOf: Partial<Record<ErrorCode, number>> = {
  invalid_json: EXIT_USAGE,
  invalid_request: EXIT_USAGE,
  invalid_value: EXIT_USAGE,
  missing_required_parameter: EXIT_USAGE,
  unsupported_parameter: EXIT_USAGE,
  unsupported_value: EXIT_USAGE,
  model_not_found: EXIT_NOT_FOUND,
  not_found: EXIT_NOT_FOUND,
  unknown_url: EXIT_UNREACHABLE,
  invalid_api_key: EXIT_NOT_ALLOWED,
  not_allowed: EXIT_NOT_ALLOWED,
  conflict: EXIT_CONFLICT,
  confirmation_required: EXIT_USAGE,
  rate_limit_exceeded: EXIT_UNREACHABLE,
  server_is_overloaded: EXIT_UNREACHABLE,
  server_not_running: EXIT_UNREACHABLE,
  store_unavailable: EXIT_UNREACHABLE,
  store_rewound: EXIT_UNREACHABLE,
  feed_unavailable: EXIT_UNREACHABLE,
  shutting_down: EXIT_UNREACHABLE,
  request_timeout: EXIT_UNREACHABLE,
  timeout: EXIT_UNREACHABLE,
  view_behind: EXIT_STALE,
  evidence_contradicted: EXIT_DIFFERENCE,
  account_damaged: EXIT_DIFFERENCE,
}

/** Errors of other packages, by their names: most of those packages are loaded only when needed. */
const codesByName: Readonly<Record<string, number>> = {
  SettingsError: EXIT_USAGE,
  DataFolderError: EXIT_UNREACHABLE,
  StoreOpenError: EXIT_UNREACHABLE,
  DamagedStreamError: EXIT_DIFFERENCE,
  NoLedgerError: EXIT_NOT_FOUND,
  UnreachableError: EXIT_UNREACHABLE,
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode
  if (error instanceof BrokenChainError) return EXIT_DIFFERENCE
  if (error instanceof StoreUnavailableError) return EXIT_UNREACHABLE
  if (error instanceof ServiceError) return codesOf[error.code] ?? EXIT_DIFFERENCE
  if (!(error instanceof Error)) return EXIT_DIFFERENCE
  if (error.name === 'StoreOpenError' && 'code' in error) {
    if (error.code === 'in-use') return EXIT_CONFLICT
    if (error.code === 'bad-address') return EXIT_USAGE
    if (error.code === 'access-denied') return EXIT_NOT_ALLOWED
  }
  return codesByName[error.name] ?? EXIT_DIFFERENCE
}
