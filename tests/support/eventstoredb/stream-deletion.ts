/** Serves the calls that delete a stream: softly, so that it can go on, or for ever. */
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { Admission } from './admission.ts'
import type { EventLog } from './event-log.ts'
import { framed, type GrpcCall } from './grpc-call.ts'
import { nameOf } from './proposed-append.ts'
import { message, uint } from './protobuf-writer.ts'
import { DELETED_BEFORE } from './stream-log.ts'

/** The revision that a deletion expects is not checked: nothing here deletes under contention. */
export function serveDelete(call: GrpcCall, admission: Admission, log: EventLog): void {
  call.receive((bytes) => {
    const options = streams.DeleteReq.deserializeBinary(bytes).getOptions()
    const name = nameOf(options?.getStreamIdentifier())
    const refusal = admission.refusal(call, { right: '$d', stream: name })
    if (refusal !== undefined) return call.finish(refusal)
    const { metadata } = log.stream(name)
    const { position } = log.setMetadata(name, { ...metadata, $tb: DELETED_BEFORE })
    call.answer(deleted(position))
  })
}

export function serveTombstone(call: GrpcCall, admission: Admission, log: EventLog): void {
  call.receive((bytes) => {
    const options = streams.TombstoneReq.deserializeBinary(bytes).getOptions()
    const name = nameOf(options?.getStreamIdentifier())
    const refusal = admission.refusal(call, { right: '$d', stream: name })
    if (refusal !== undefined) return call.finish(refusal)
    const { position } = log.tombstone(name)
    call.answer(deleted(position))
  })
}

function deleted(position: number): Buffer {
  return framed(message(1, uint(1, position), uint(2, position)))
}
