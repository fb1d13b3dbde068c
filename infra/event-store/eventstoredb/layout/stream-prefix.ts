/**
 * Which streams of a server are ours: those whose names begin with our prefix. So several
 * installations, and other programs, can share a server, as long as no prefix begins another.
 */
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { ServerEvent } from '../messages/server-event.ts'
import { fromServerEvent } from './recorded-event.ts'

export const DEFAULT_STREAM_PREFIX = 'svc.'
const PREFIX_CHARACTERS_MAX = 64
const SYSTEM_EVENT = '$'
/** Stands before the name of a stream in the name of the stream that holds its metadata. */
export const METADATA_PREFIX = '$$'

export class StreamPrefix {
  readonly text: string

  /** @throws {RangeError} */
  constructor(text: string) {
    // A leading $ is the server's: such streams are hidden, and written by it.
    if (!/^[\w.-]+$/.test(text) || text.length > PREFIX_CHARACTERS_MAX) {
      throw new RangeError(
        `the prefix of the streams must be 1 to ${PREFIX_CHARACTERS_MAX} letters, digits, ` +
          'dots, dashes and underscores',
      )
    }
    this.text = text
  }

  /** The beginnings of the names of the streams that hold our events, or orders about them. */
  get concerning(): readonly string[] {
    return [this.text, METADATA_PREFIX + this.text]
  }

  /** The name that the server has for a stream of ours. */
  nameOf(stream: string): string {
    return this.text + stream
  }

  /** @returns undefined when the event stands in a stream of somebody else */
  toOwn(event: ServerEvent): RecordedEvent | undefined {
    // The deletion of a stream stands in it, as an event of the server's.
    return event.stream.startsWith(this.text) && !event.type.startsWith(SYSTEM_EVENT)
      ? fromServerEvent(event, event.stream.slice(this.text.length))
      : undefined
  }
}
