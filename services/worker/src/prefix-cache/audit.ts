/**
 * Computes cached blocks again and compares them, byte by byte: what a customer was spared is what
 * would have been computed. Blocks are looked at as chains, because a block can only be computed
 * after those before it; a whole chain is compared at the price of its last block.
 */
import type { PrefixBlock, PrefixStore } from '@svc/contracts/ports/prefix-store'
import type { AuditResponse } from '@svc/contracts/worker/protocol'
import type { EngineSequence } from '../engines/engine.ts'
import { kindOfName } from './block-names.ts'
import type { PrefixCache } from './prefix-cache.ts'

/** Longer chains are not followed to their beginning. */
const CHAIN_BLOCKS_MAX = 8192

type Tier = 'l1' | 'l2'
type Counted = Omit<AuditResponse, 'workerId'>

/**
 * @param sample blocks to compare in each tier, at most
 * @param withSequence lends an empty sequence for as long as the work takes
 */
export async function auditCache(
  cache: PrefixCache,
  sample: number,
  withSequence: (work: (sequence: EngineSequence) => Promise<void>) => Promise<void>,
): Promise<Counted> {
  const counted = { checked: { l1: 0, l2: 0 }, gone: 0, differing: [] as Difference[] }
  for (const { tier, store } of cache.tiers) {
    const seen = new Set<string>()
    for (const name of await store.sample(sample)) {
      if (counted.checked[tier] >= sample) break
      if (seen.has(name)) continue
      const chain = await chainTo(store, name)
      if (chain.length === 0) counted.gone += 1
      else await withSequence((sequence) => compare(sequence, chain, seen, sample, tier, counted))
    }
  }
  return counted
}

type Difference = AuditResponse['differing'][number]

interface Counting {
  readonly checked: { l1: number; l2: number }
  readonly differing: Difference[]
}

/** @param seen blocks that were compared as a part of another chain; these are added */
async function compare(
  sequence: EngineSequence,
  chain: readonly PrefixBlock[],
  seen: Set<string>,
  sample: number,
  tier: Tier,
  counting: Counting,
): Promise<void> {
  const prompt = chain.flatMap(({ tokens }) => [...tokens])
  await sequence.prefill(prompt, kindOfName(chain[0]?.name ?? ''))
  const computed = await sequence.readBlocks(0, prompt.length)
  chain.forEach(({ name, bytes }, index) => {
    const again = computed[index]
    if (seen.has(name) || counting.checked[tier] >= sample) return
    seen.add(name)
    counting.checked[tier] += 1
    if (again === undefined || Buffer.compare(bytes, again) !== 0) {
      counting.differing.push({ name, tier })
    }
  })
}

/** The chain that ends with this block; empty when a part of it is gone. */
async function chainTo(store: PrefixStore, name: string): Promise<readonly PrefixBlock[]> {
  const names = [name]
  for (let next: string | null = name; next !== null; ) {
    const [block] = await store.get([next])
    if (block === undefined) return []
    next = block.parent
    if (next !== null) names.unshift(next)
    if (names.length > CHAIN_BLOCKS_MAX) return []
  }
  const chain = await store.get(names)
  return chain.length === names.length ? chain : []
}
