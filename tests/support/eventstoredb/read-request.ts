/** What a read or a subscription asks for. */
import streams, {
  type ReadReq as ReadReqMessage,
} from '@eventstore/db-client/generated/streams_pb.js'
import { nameOf } from './proposed-append.ts'
import type { StoredEvent } from './stored-event.ts'

export interface ReadRequest {
  /** Undefined is `$all`. */
  readonly stream: string | undefined
  /** A revision of the stream, or a position in `$all`. */
  readonly from: bigint | 'start' | 'end'
  readonly direction: 'forwards' | 'backwards'
  readonly isSubscription: boolean
  readonly count: number
  readonly filter: EventFilter | undefined
}

export interface EventFilter {
  lets(event: StoredEvent): boolean
  /** How many events are looked at before the subscriber is told how far that is. */
  readonly checkpointEvents: number
}

/** Events that the real server looks at in one step, unless the client says otherwise. */
const SEARCH_WINDOW_EVENTS = 32

const BACKWARDS = 1

export function readReadRequest(bytes: Buffer): ReadRequest {
  const options = streams.ReadReq.deserializeBinary(bytes).getOptions()
  if (options === undefined) throw new Error('a read names nothing to read')
  const stream = options.getStream()
  const all = options.getAll()
  return {
    stream: stream === undefined ? undefined : nameOf(stream.getStreamIdentifier()),
    from: stream === undefined ? startInAll(all) : startInStream(stream),
    direction: options.getReadDirection() === BACKWARDS ? 'backwards' : 'forwards',
    isSubscription: options.hasSubscription(),
    count: Number(options.getCount()),
    filter: filterFrom(options.getFilter()),
  }
}

type Options = NonNullable<ReturnType<ReadReqMessage['getOptions']>>

function startInStream(
  options: NonNullable<ReturnType<Options['getStream']>>,
): ReadRequest['from'] {
  if (options.hasRevision()) return BigInt(options.getRevision())
  return options.hasEnd() ? 'end' : 'start'
}

function startInAll(options: ReturnType<Options['getAll']>): ReadRequest['from'] {
  const position = options?.getPosition()
  if (position !== undefined) return BigInt(position.getCommitPosition())
  return options?.hasEnd() ? 'end' : 'start'
}

function filterFrom(options: ReturnType<Options['getFilter']>): EventFilter | undefined {
  if (options === undefined) return undefined
  const byStream = options.getStreamIdentifier()
  const expression = byStream ?? options.getEventType()
  const isMatch = matcher(expression?.getPrefixList() ?? [], expression?.getRegex() ?? '')
  const window = options.hasMax() ? options.getMax() : SEARCH_WINDOW_EVENTS
  return {
    lets: ({ stream, type }) => isMatch(byStream === undefined ? type : stream),
    checkpointEvents: window * Math.max(1, options.getCheckpointintervalmultiplier()),
  }
}

function matcher(prefixes: readonly string[], regex: string): (name: string) => boolean {
  if (prefixes.length > 0) return (name) => prefixes.some((prefix) => name.startsWith(prefix))
  const pattern = new RegExp(regex)
  return (name) => pattern.test(name)
}
