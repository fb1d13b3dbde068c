/** The calls that carry all events. Each encoding of their messages implements them. */
import type { ServerReadAll, ServerReadStream } from './server-calls.ts'
import type { NewServerEvent, ServerEvent } from './server-event.ts'

/** Asks for one page, of a stream or of the log. */
export type PageRequest = ServerReadStream | ServerReadAll

export interface AppendedAt {
  /** The revision of the last event of the append. */
  readonly revision: number
  /** The server leaves it out when it answers a repetition whose events are truncated. */
  readonly position: bigint | undefined
}

export interface RunningRead {
  /** Resolves behind the last event. Never settles on a server that hangs. */
  readonly ended: Promise<void>
  cancel(): void
}

export interface StreamCalls {
  /**
   * Sends an append. This never settles on a server that hangs.
   *
   * @param expected the exact revision that the stream ends with; `NO_EVENTS` for none
   * @throws what `sendResultOf` understands
   */
  append(stream: string, expected: number, events: readonly NewServerEvent[]): Promise<AppendedAt>

  /** Brings no event for a stream that is missing or softly deleted. */
  read(request: PageRequest, onEvent: (event: ServerEvent) => void): RunningRead
}
