/** What one run of the load process does. It is handed over as JSON. */
import type { WireFormat } from '@svc/contracts/events/account'

export interface LoadPlan {
  readonly target: GatewayTarget | WorkerTarget
  /** Requests at once. */
  readonly connections: number
  /** The load ends after these requests or these seconds, whichever is first. */
  readonly requests?: number
  readonly seconds: number
  /** Sends at this pace, whatever the answers do; without it, as fast as answers come. */
  readonly requestsPerSecond?: number
}

export interface GatewayTarget {
  readonly kind: 'gateway'
  readonly format: WireFormat
  /** As the ready line gives it, with `/v1`. */
  readonly baseUrl: string
  /** One of each account that sends, in turn. */
  readonly apiKeys: readonly string[]
  readonly stream: boolean
  readonly outputTokens: number
  /** Whether what each answer says that it cost is added up. Left out: it is not looked at. */
  readonly readsCost?: boolean
}

/** The same calls that the gateway makes for one request, made directly. */
export interface WorkerTarget {
  readonly kind: 'worker'
  readonly socketPath: string
  readonly outputTokens: number
}

export interface LoadResult {
  readonly requests: number
  /** What was not a complete, good answer. */
  readonly failures: number
  /** One of the failures, in words. */
  readonly failure: string | null
  /** What the answers said that they cost, in pico-dollars: JSON knows no `bigint`. */
  readonly cost: string
  readonly seconds: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}
