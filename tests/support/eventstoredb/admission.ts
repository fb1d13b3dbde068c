/** What a call has to pass before it is looked at: credentials, the leader, a server that is up. */
import { accessDenied, notReady } from './append-answers.ts'
import type { DoubleFaults } from './double-faults.ts'
import { type CallEnd, type GrpcCall, status } from './grpc-call.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
}

export class Admission {
  /** False in the first moments after a start. */
  isReady = true
  readonly #faults: DoubleFaults
  #expected: string | undefined

  constructor(faults: DoubleFaults, credentials: Credentials | undefined) {
    this.#faults = faults
    if (credentials !== undefined) this.setCredentials(credentials)
  }

  /** From now on calls without these are refused; those that are open were let in. */
  setCredentials({ username, password }: Credentials): void {
    this.#expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  }

  /** The end that a call comes to without being looked at, if it does. */
  refusal(call: GrpcCall): CallEnd | undefined {
    return this.credentialsRefusal(call) ?? this.leaderRefusal(call) ?? this.#readinessRefusal()
  }

  credentialsRefusal({ headers }: GrpcCall): CallEnd | undefined {
    if (this.#expected === undefined || headers.authorization === this.#expected) return undefined
    if (headers.authorization === undefined) return accessDenied
    return { code: status.unauthenticated, message: 'Unauthenticated' }
  }

  leaderRefusal({ headers }: GrpcCall): CallEnd | undefined {
    const { notLeader: leader, deadNodes } = this.#faults
    if (headers['requires-leader'] !== 'true') return undefined
    if (leader === undefined) return deadNodes.length > 0 ? notReady : undefined
    return {
      code: status.notFound,
      message: 'Leader info available',
      trailers: {
        exception: 'not-leader',
        'leader-endpoint-host': leader.host,
        'leader-endpoint-port': String(leader.port),
      },
    }
  }

  #readinessRefusal(): CallEnd | undefined {
    return this.isReady ? undefined : notReady
  }
}
