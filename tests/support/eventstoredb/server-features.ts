/** What the server says of its version and of the calls that it knows. */
import type { GrpcCall } from './grpc-call.ts'
import { framed } from './grpc-call.ts'
import { type Fields, message, text } from './protobuf-writer.ts'

export const SERVER_FEATURES =
  '/event_store.client.server_features.ServerFeatures/GetSupportedMethods'

const STREAMS_SERVICE = 'event_store.client.streams.streams'

/** The first versions with a thing that a client can notice. */
const first = {
  serverFeatures: [21, 10],
  caughtUp: [23, 10],
  neverDropsSlowConsumers: [24, 2],
  stopsInOrder: [24, 2],
} as const

/** @param version as in `23.10.8` */
export function hasSince(version: string, feature: keyof typeof first): boolean {
  const [year = 0, month = 0] = version.split('.').map(Number)
  const [firstYear, firstMonth] = first[feature]
  return year > firstYear || (year === firstYear && month >= firstMonth)
}

export function serveServerFeatures(call: GrpcCall, version: string): void {
  const methods = [
    method('read', 'position', 'events'),
    method('append'),
    method('delete'),
    method('tombstone'),
    method('batchappend', 'deadline_duration'),
  ]
  call.answer(framed(Buffer.concat([...methods, text(2, version)])))
}

function method(name: string, ...features: readonly string[]): Fields {
  const named = [text(1, name), text(2, STREAMS_SERVICE)]
  return message(1, ...named, ...features.map((feature) => text(3, feature)))
}
