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

/** Each status with its word, to choose from. */
export const statusChoices = Object.entries(shown).map(
  ([status, [name]]) => [status as Status, t(name)] as const,
)
