/**
 * Attacks for a short time: the customer's requests do not fail, no worker dies, memory stays
 * within its bound, and the books are exact. How long answers take beside an attack is measured by
 * `npm run siege`, not here: a test promises nothing about time.
 */
import { expect, test } from 'vitest'
import { attacks } from './attack-list.ts'
import { type AttackOutcome, brokenBounds, siege } from './siege.ts'

/** One attack of each kind; in CI the worst that there were. With `SVC_SIEGE=all` every one. */
const QUICK = ['alike-branches', 'no-credit-requests', 'silent-sockets']
const WORST = ['stored-responses', 'patterns', 'long-prompts', 'reads', 'wrong-parts', 'all-places']
const SECONDS = 1
const TIMEOUT_MS = 120_000
const names = process.env.CI === undefined ? QUICK : [...QUICK, ...WORST]
const isWhole = process.env.SVC_SIEGE === 'all'
const chosen = attacks.filter(({ name }) => isWhole || names.includes(name))

test.each(chosen.map((attack) => [attack.name, attack] as const))(
  'a customer is served beside %s',
  { timeout: TIMEOUT_MS },
  async (_, attack) => {
    const options = { seconds: SECONDS, warmUpSeconds: 0, workers: 1, redis: false, isTimed: false }
    const [outcome] = await siege({ ...options, attacks: [attack] })
    expect(brokenBounds(withoutTime(outcome))).toEqual([])
    expect(outcome?.beside.requests).toBeGreaterThan(0)
  },
)

function withoutTime(outcome: AttackOutcome | undefined): AttackOutcome {
  if (outcome === undefined) throw new Error('the siege has no outcome')
  return { ...outcome, p99Ratio: 1 }
}
