/**
 * Who gives way when others wait for a sequence: pure, what is known of the runs in, one of them
 * out.
 *
 * Two cases:
 *
 *     a tenant has more than its share    another one waits that would still have no larger share
 *                                         with one sequence more: one of the first's runs gives
 *                                         way. So nobody has all of them while others wait.
 *     more tenants than sequences         one waits that has none: a run that had its turn gives
 *                                         way, and waits for the next
 *
 * A share is a tenant's sequences by its weight. After giving way no share is turned round, so two
 * tenants never take a sequence from each other in turns; and every run keeps its sequence for a
 * while, because moving its state costs all runs a moment.
 */

/** A run keeps its sequence for at least this long, whoever waits. */
export const KEPT_MS_MIN = 250
/** A run's turn, times its tenant's weight, when there are more tenants than sequences. */
export const TURN_MS = 2_000
/** Whatever the weight: others wait no longer for one turn. */
export const TURN_MS_MAX = 10_000

/** A run on a sequence. */
export interface Holder {
  readonly tenant: string
  readonly weight: number
  /** When it got its sequence; larger is later. */
  readonly sinceMs: number
}

export interface WaitingTenant {
  readonly tenant: string
  readonly weight: number
}

/**
 * The run that gives way first, and from when on; undefined while nobody has to. Of one tenant's
 * runs that have kept their sequences long enough the last one goes.
 *
 * @param holders in the order in which they were submitted
 */
export function firstToGiveWay<Run extends Holder>(
  holders: readonly Run[],
  waiting: readonly WaitingTenant[],
  nowMs: number,
): { readonly run: Run; readonly fromMs: number } | undefined {
  const held = sequencesByTenant(holders)
  const shareOf = ({ tenant, weight }: Holder) => (held.get(tenant) ?? 0) / weight
  let first: { run: Run; fromMs: number } | undefined
  for (const run of holders) {
    const others = waiting.filter(({ tenant }) => tenant !== run.tenant)
    const keptMs = Math.min(...others.map((other) => keptMsBefore(run, other, held)))
    const fromMs = Math.max(nowMs, run.sinceMs + keptMs)
    if (!Number.isFinite(fromMs) || fromMs > (first?.fromMs ?? fromMs)) continue
    const isEqual = first !== undefined && fromMs === first.fromMs
    if (!isEqual || shareOf(run) >= shareOf(first?.run ?? run)) first = { run, fromMs }
  }
  return first
}

/** How long the run keeps its sequence before the other tenant gets it. */
function keptMsBefore(
  run: Holder,
  other: WaitingTenant,
  held: ReadonlyMap<string, number>,
): number {
  const own = held.get(run.tenant) ?? 0
  const others = held.get(other.tenant) ?? 0
  if ((own - 1) / run.weight >= (others + 1) / other.weight) return KEPT_MS_MIN
  return others === 0 ? Math.min(TURN_MS * run.weight, TURN_MS_MAX) : Number.POSITIVE_INFINITY
}

export function sequencesByTenant(holders: readonly Holder[]): ReadonlyMap<string, number> {
  const held = new Map<string, number>()
  for (const { tenant } of holders) held.set(tenant, (held.get(tenant) ?? 0) + 1)
  return held
}
