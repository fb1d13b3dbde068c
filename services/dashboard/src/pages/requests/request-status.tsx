import { parseDollars } from '@svc/contracts/money'
import type { RequestStatus as Status } from '@svc/contracts/wire/billing'
import { type PlainName, t } from '../../text/translate.ts'
import { Badge, type BadgeLook } from '../../ui/badge.tsx'

const shown: Readonly<Record<Status, readonly [name: PlainName, look: BadgeLook]>> = {
  running: ['statusRunning', 'plain'],
  finished: ['statusFinished', 'good'],
  stopped: ['statusStopped', 'warn'],
  failed: ['statusFailed', 'bad'],
  abandoned: ['statusAbandoned', 'bad'],
}

/** What became of a request, in a word. */
export function RequestStatus({ status }: { readonly status: Status }) {
  const [name, look] = shown[status]
  return <Badge text={t(name)} look={look} />
}

export interface RequestRefundProps {
  /** What it was charged, in exact dollars. */
  readonly amount: string
  /**
   * The part that was given back. A server that is older than the page leaves it undefined,
   * whatever the declaration says.
   */
  readonly refunded: string | undefined
}

/** Whether a charge went back, as a whole or in part; nothing where none did. */
export function RequestRefund({ amount, refunded }: RequestRefundProps) {
  if (refunded === undefined || parseDollars(refunded) === 0n) return null
  return <Badge text={t(refunded === amount ? 'wasRefunded' : 'partlyRefunded')} />
}

/** Each status with its word, to choose from. */
export const statusChoices = Object.entries(shown).map(
  ([status, [name]]) => [status as Status, t(name)] as const,
)
