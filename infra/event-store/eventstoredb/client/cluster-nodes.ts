/**
 * What each node of a cluster says when it is asked by itself. The client's own search for a leader
 * asks them too, and keeps what they say to itself.
 */
import { type ConnectionSettings, type Host, hostsText } from './connection-string.ts'
import { answerWithin } from './deadline.ts'
import { type ClusterMember, RetirableClient } from './retirable-client.ts'

/** How long a node of a cluster may take to say who leads, in milliseconds. */
const NODE_ANSWER_MS = 1_000
/** The number that the server gives the state of a leader. */
const LEADER = 8

/** How one node sees its cluster. */
export interface ClusterView {
  /** The leader as `host:port`; undefined when the node knows of none. */
  readonly leader: string | undefined
  readonly nodes: number
  readonly nodesAlive: number
}

export type NodeReport = { readonly place: string } & (
  | { readonly view: ClusterView }
  | { readonly error: unknown }
)

/** Whether there are nodes to be asked for the leader, and not one address to be taken as it is. */
export function isCluster({ hosts, discover }: ConnectionSettings): boolean {
  return discover || hosts.length > 1
}

/**
 * Asks all nodes at once, and each for itself. What a node says never makes this reject.
 *
 * @throws {ConnectionStringError} when a file that the settings name cannot be read
 */
export async function askNodes(settings: ConnectionSettings): Promise<readonly NodeReport[]> {
  return Promise.all(settings.hosts.map((host) => askNode(settings, host)))
}

/** The leaders that the nodes name: more than one while they do not agree. */
export function leadersIn(reports: readonly NodeReport[]): ReadonlySet<string> {
  const leaders = reports.flatMap((report) => ('view' in report ? (report.view.leader ?? []) : []))
  return new Set(leaders)
}

async function askNode(settings: ConnectionSettings, host: Host): Promise<NodeReport> {
  const only: ConnectionSettings = { ...settings, hosts: [host], discover: false }
  const place = hostsText(only)
  const client = new RetirableClient(only)
  try {
    const members = await answerWithin(NODE_ANSWER_MS, 'who leads', client.gossip(NODE_ANSWER_MS))
    return { place, view: viewOf(members) }
  } catch (error) {
    return { place, error }
  } finally {
    void client.retire()
  }
}

function viewOf(members: readonly ClusterMember[]): ClusterView {
  const alive = members.filter(({ isAlive }) => isAlive)
  const endPoint = alive.find(({ state }) => state === LEADER)?.httpEndPoint
  return {
    leader: endPoint && `${endPoint.address}:${endPoint.port}`,
    nodes: members.length,
    nodesAlive: alive.length,
  }
}
