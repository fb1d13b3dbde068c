/**
 * Tells clients that look for a node where the leader is: a connection string with several hosts,
 * or with `+discover`, asks for that before anything else.
 */
import type { NodeAddress } from './double-faults.ts'
import { framed, type GrpcCall } from './grpc-call.ts'
import { type Fields, message, text, uint } from './protobuf-writer.ts'

export const GOSSIP = '/event_store.client.gossip.Gossip/Read'

const UNKNOWN = 2
const FOLLOWER = 6
const LEADER = 8

/** What a node sees of its cluster, besides itself. */
export interface ClusterSight {
  /** Another node, if this one is not the leader. */
  readonly leader: NodeAddress | undefined
  /** Nodes that do not answer it. Without a majority no node leads. */
  readonly dead: readonly NodeAddress[]
}

export function serveGossip(call: GrpcCall, self: NodeAddress, sight: ClusterSight): void {
  call.answer(framed(Buffer.concat(membersSeen(self, sight))))
}

function membersSeen(self: NodeAddress, { leader, dead }: ClusterSight): readonly Fields[] {
  const others = dead.map((address) => member(address, UNKNOWN, false))
  if (dead.length > 0 && leader === undefined) return [member(self, UNKNOWN), ...others]
  if (leader === undefined) return [member(self, LEADER)]
  return [member(self, FOLLOWER), member(leader, LEADER), ...others]
}

function member({ host, port }: NodeAddress, state: number, isAlive = true): Fields {
  const address = message(5, text(1, host), uint(2, port))
  return message(1, uint(3, state), uint(4, isAlive ? 1 : 0), address)
}
