/**
 * What a call has to pass before it is looked at: credentials, rights, the leader, a server that is
 * up.
 */
import { type AccessRules, ADMINS, type Right, type User } from './access-rules.ts'
import { accessDenied, notReady } from './append-answers.ts'
import type { DoubleFaults } from './double-faults.ts'
import { type CallEnd, type GrpcCall, status } from './grpc-call.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** A user who is none of `$admins`. */
export interface LimitedUser extends Credentials {
  readonly groups: readonly string[]
}

/** What is asked for: a right to a stream. */
export interface Asked {
  readonly right: Right
  readonly stream: string
}

export class Admission {
  /** False in the first moments after a start. */
  isReady = true
  readonly #faults: DoubleFaults
  readonly #rules: AccessRules
  readonly #limited = new Map<string, User>()
  #admin: string | undefined

  /** @param credentials of the administrator; without them everybody is one, as on `--insecure` */
  constructor(
    faults: DoubleFaults,
    rules: AccessRules,
    credentials: Credentials | undefined,
    limited: readonly LimitedUser[] = [],
  ) {
    this.#faults = faults
    this.#rules = rules
    if (credentials !== undefined) this.setCredentials(credentials)
    for (const user of limited) this.#limited.set(authorization(user), user)
  }

  /** From now on calls without these are refused; those that are open were let in. */
  setCredentials(credentials: Credentials): void {
    this.#admin = authorization(credentials)
  }

  /** The end that a call comes to without being looked at, if it does. */
  refusal(call: GrpcCall, asked: Asked): CallEnd | undefined {
    return (
      this.credentialsRefusal(call) ??
      this.leaderRefusal(call) ??
      this.#readinessRefusal() ??
      (this.mayDo(call, asked) ? undefined : accessDenied)
    )
  }

  mayDo({ headers }: GrpcCall, { right, stream }: Asked): boolean {
    const user = this.#limited.get(headers.authorization ?? '')
    const all = { username: 'admin', groups: [ADMINS] }
    return this.#rules.allows(user ?? all, right, stream)
  }

  credentialsRefusal({ headers }: GrpcCall): CallEnd | undefined {
    if (this.#admin === undefined || headers.authorization === this.#admin) return undefined
    if (this.#limited.has(headers.authorization ?? '')) return undefined
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

function authorization({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
