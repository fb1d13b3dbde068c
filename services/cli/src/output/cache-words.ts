/** Says in words what the prefix cache did for a request: the evidence behind its cached tokens. */
import { formatExact, parsePricePerMillion } from '@svc/contracts/money'
import type { Receipt } from '@svc/contracts/wire/billing'

const SHOWN_HASH_CHARACTERS = 12

type Fact = readonly [name: string, value: string]

/** Gives the facts. There are none for a request without a meter. */
export function cacheFacts(request: Receipt): readonly Fact[] {
  const { cache } = request
  if (cache === null) return []
  const facts: Fact[] = [
    ['worker', cache.worker],
    ['cache', `${promptWords(request, cache)}; ${witnessWords(cache)}`],
  ]
  if (cache.schedule !== null) facts.push(['schedule', cache.schedule])
  const saved = savedAmount(request)
  if (saved > 0n) {
    facts.push(['saved', `${formatExact(saved)} USD against the price of computed tokens`])
  }
  return facts
}

type Evidence = NonNullable<Receipt['cache']>

function promptWords({ usage }: Receipt, cache: Evidence): string {
  const { cached_input_tokens: cached } = usage
  if (cached === 0) return 'the whole prompt was computed'
  const ofPrompt = `of ${counted(usage.input_tokens + cached)} prompt tokens`
  const reused = Math.min(cached, cache.reused_tokens)
  const words: string[] = []
  if (reused > 0) {
    words.push(`${counted(reused)} ${ofPrompt} were not computed: ${blockWords(cache)}`)
  }
  // Tokens in doubt are billed at the lower price: a run that broke, a count that differs.
  if (cached > reused) {
    words.push(
      `${counted(cached - reused)} ${ofPrompt} are billed as cached, the cheaper reading: ` +
        'no reused tokens stand for them',
    )
  }
  return words.join('; ')
}

function blockWords({ blocks, source, worker, last_block_hash: last }: Evidence): string {
  const place = source === 'l1' ? `the memory of ${worker} (l1)` : 'Redis (l2)'
  const name = last === null ? '' : `, last block ${shortened(last)}`
  return `${blockCount(blocks)} from ${place}${name}`
}

/** Counts the blocks behind which there are reused tokens: they may end within the first one. */
function blockCount(blocks: number): string {
  if (blocks === 0) return 'part of a block'
  return blocks === 1 ? '1 block' : `${counted(blocks)} blocks`
}

function witnessWords({ evaluated_tokens: evaluated }: Evidence): string {
  return `the runtime counted ${counted(evaluated)} computed`
}

/** Exact: the difference of the two pinned prices, for every cached token. */
function savedAmount({ price, usage }: Receipt): bigint {
  const perToken = parsePricePerMillion(price.input) - parsePricePerMillion(price.cached_input)
  return perToken * BigInt(usage.cached_input_tokens)
}

/** Writes a number with separators: 1,920. */
function counted(number: number): string {
  return number.toLocaleString('en-US')
}

function shortened(hash: string): string {
  if (hash.length <= SHOWN_HASH_CHARACTERS) return hash
  return `${hash.slice(0, SHOWN_HASH_CHARACTERS)}…`
}
