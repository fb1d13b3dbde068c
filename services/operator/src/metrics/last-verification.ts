/**
 * When the log was last verified, and what came out. Any process may have verified it, so the log
 * is what knows; it is asked at most once a minute, however often the metrics are read.
 */
import type { KeptVerification } from '@svc/contracts/admin/verification'
import type { Clock } from '@svc/contracts/ports/time'
import { inTime } from '@svc/infra/system/system-timer'
import type { AuditTrail } from '../access/audit-trail.ts'
import { lastVerification } from '../operations/log/kept-verification.ts'
import { STATE_TIMEOUT_MS } from '../workers/worker-fleet.ts'

const ASKED_EVERY_MS = 60_000

export interface LastVerificationPorts {
  readonly auditTrail: Pick<AuditTrail, 'lastVerification'>
  readonly clock: Clock
}

/** Null before the first one; undefined while it is not known. */
type Known = KeptVerification | null | undefined

export class LastVerification {
  readonly #ports: LastVerificationPorts
  #known: Promise<Known> = Promise.resolve(undefined)
  #askedAtMs = 0

  constructor(ports: LastVerificationPorts) {
    this.#ports = ports
  }

  /** While the log is away, what was last known counts. Never rejects. */
  look(): Promise<Known> {
    const nowMs = this.#ports.clock.nowMs()
    if (Math.abs(nowMs - this.#askedAtMs) >= ASKED_EVERY_MS) {
      this.#askedAtMs = nowMs
      this.#known = this.#ask(this.#known)
    }
    return this.#known
  }

  async #ask(before: Promise<Known>): Promise<Known> {
    const found = await inTime(lastVerification(this.#ports), STATE_TIMEOUT_MS, undefined)
    return found === undefined ? before : found
  }
}
