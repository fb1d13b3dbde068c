/** What the server sends on a read or a subscription besides events. */
import { framed } from './grpc-call.ts'
import { EMPTY, message, text, uint } from './protobuf-writer.ts'
import { type StoredEvent, streamName } from './stored-event.ts'

export function confirmation(subscriptionId: string): Buffer {
  return framed(message(2, text(1, subscriptionId)))
}

/** The subscription has seen everything up to this event, whether it let it through or not. */
export function checkpoint({ position }: StoredEvent): Buffer {
  return framed(message(3, uint(1, position), uint(2, position)))
}

export function streamNotFound(stream: string): Buffer {
  return framed(message(4, message(1, streamName(stream))))
}

export const CAUGHT_UP = framed(message(8, EMPTY))
