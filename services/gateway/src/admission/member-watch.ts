/**
 * Ends what somebody has under way in an account when they are disabled or taken out of it: their
 * session is asked for when a request comes, and not while it runs.
 */
import type { AccountMember, AccountSessions } from '@svc/contracts/ports/account-sessions'
import type { Timer } from '@svc/contracts/ports/time'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Stop } from './stop.ts'

/** A running request ends well within a second. */
const LOOK_EVERY_MS = 250

export interface MemberWatchPorts {
  readonly sessions: Pick<AccountSessions, 'staysIn'>
  readonly timer: Timer
  readonly logger: Logger
}

interface Watched {
  readonly member: AccountMember
  readonly stop: Stop
}

export class MemberWatch {
  readonly #ports: MemberWatchPorts
  readonly #watched = new Set<Watched>()
  /** It looks only while there is something to look at. */
  #isLooking = false

  constructor(ports: MemberWatchPorts) {
    this.#ports = ports
  }

  /** Is the hook `preHandler`: watches a request that has its place until its answer is over. */
  readonly watch = async (
    { member, admitted }: FastifyRequest,
    { raw }: FastifyReply,
  ): Promise<void> => {
    if (!member || !admitted || raw.destroyed) return
    const watched = { member, stop: admitted.place.stop }
    this.#watched.add(watched)
    raw.once('close', () => this.#watched.delete(watched))
    if (!this.#isLooking) this.#lookLater()
  }

  #lookLater(): void {
    this.#isLooking = this.#watched.size > 0
    if (!this.#isLooking) return
    this.#ports.timer.after(LOOK_EVERY_MS, () => void this.#look())
  }

  async #look(): Promise<void> {
    // A user who cannot be read keeps nobody else's requests running.
    const looks = [...this.#watched].map((watched) => this.#stopIfLeft(watched))
    const failed = (await Promise.allSettled(looks)).find((look) => look.status === 'rejected')
    if (failed !== undefined) {
      const { reason } = failed
      this.#ports.logger.error({ err: reason }, 'failed to look for users who left, retrying')
    }
    this.#lookLater()
  }

  async #stopIfLeft({ member, stop }: Watched): Promise<void> {
    if (!(await this.#ports.sessions.staysIn(member))) stop.stop('member_left')
  }
}
