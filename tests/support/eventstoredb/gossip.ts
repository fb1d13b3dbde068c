/**
 * Tells clients that look for a node where the leader is: a connection string with several hosts,
 * or with `+discover`, asks for that before anything else.
 */
import type { NodeAddress } from './double-faults.ts'
import { framed, type GrpcCall } from './grpc-call.ts'
import { type Fields, message, text, uint } from './protobuf-writer.ts'

export const GOSSIP = '/event_store.client.gossip.Gossip/Read'

const FOLLOWER = 6
const LEADER = 8

/** @param leader another node, if this one is not the leader */
export function serveGossip(
  call: GrpcCall,
  self: NodeAddress,
  leader: NodeAddress | undefined,
): void {
  const members =
    leader === undefined ? [member(self, LEADER)] : [member(self, FOLLOWER), member(leader, LEADER)]
  call.answer(framed(Buffer.concat(members)))
}

function member({ host, port }: NodeAddress, state: number): Fields {
  const isAlive = 1
  return message(1, uint(3, state), uint(4, isAlive), message(5, text(1, host), uint(2, port)))
}
