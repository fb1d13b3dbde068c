/** Reads `SVC_TENANT_WEIGHTS`: how many turns accounts get in the queues of the workers. */
import { isId } from '@svc/contracts/ids'

const WEIGHT_MAX = 100
const ENTRIES_MAX = 10_000

export type ReadWeights =
  | { readonly weights: ReadonlyMap<string, number> }
  /** One line that says what to do. */
  | { readonly problem: string }

/** @param text such as `acct_…=4,acct_…=2`; empty: no weights */
export function readTenantWeights(text: string): ReadWeights {
  const weights = new Map<string, number>()
  const entries = text.trim() === '' ? [] : text.split(',')
  if (entries.length > ENTRIES_MAX) return { problem: `must be at most ${ENTRIES_MAX} weights` }
  for (const entry of entries) {
    const [account = '', weight = '', ...more] = entry.split('=').map((part) => part.trim())
    if (!isId('acct', account) || more.length > 0) {
      return { problem: 'must be account=weight pairs, such as acct_…=4,acct_…=2' }
    }
    if (!/^\d{1,3}$/.test(weight) || Number(weight) < 1 || Number(weight) > WEIGHT_MAX) {
      return { problem: `the weight of ${account} must be a whole number from 1 to ${WEIGHT_MAX}` }
    }
    if (weights.has(account)) return { problem: `${account} must be named once` }
    weights.set(account, Number(weight))
  }
  return { weights }
}
