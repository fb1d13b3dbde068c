/**
 * Names the blocks of a prompt by a keyed hash chain: a block's name depends on all tokens up to
 * its end, on the tenant and on the fingerprint of the model. Nobody without the key can tell from
 * a name what the tokens were, or whether two tenants sent the same; and who has another prompt,
 * another tenant or another model has other names, so finding a block by its name is all the
 * comparing that reuse needs.
 */
import { createHmac } from 'node:crypto'
import type { PromptKind, PromptSchedule } from '../engines/prompt-schedule.ts'

const CHAIN_START = 'pc1|'
const NAME_BYTES = 16
/**
 * A bit in a name's first byte. It tells whoever computes the block again in which batches it was
 * computed.
 */
const SHORT_BIT = 0x80

/** A prompt as the cache sees it. */
export interface Chain {
  readonly tenant: string
  readonly tokens: readonly number[]
  /** Prompts of different kinds share nothing. */
  readonly kind: PromptKind
  /**
   * Leading tokens that can be reused. The last token is not among them: it is always computed,
   * because the first draw needs its result.
   */
  readonly reusableTokens: number
  /** The names of the blocks of these tokens, the earliest first. The last block may be smaller. */
  readonly names: readonly string[]
  readonly blockTokens: number
  readonly cutTokens: number
}

export interface BlockNames {
  chain(tenant: string, tokens: readonly number[]): Chain
}

/** What of a schedule says where blocks begin and end, and in which batches they are computed. */
export type BlockSchedule = Pick<PromptSchedule, 'blockTokens' | 'cutTokens' | 'kindOf'>

/** @param secret keeps the names comparable between workers and restarts that share it */
export function blockNames(
  secret: string | Uint8Array,
  fingerprint: string,
  { blockTokens, cutTokens, kindOf }: BlockSchedule,
): BlockNames {
  return {
    chain(tenant, tokens) {
      const last = Math.max(0, tokens.length - 1)
      const reusableTokens = wholeCuts(last, cutTokens)
      const kind = kindOf(last)
      const salt = createHmac('sha256', secret).update(tenant).digest()
      let hash = createHmac('sha256', salt).update(`${CHAIN_START}${kind}|${fingerprint}`).digest()
      const names: string[] = []
      const ids = littleEndian(tokens)
      for (let begin = 0; begin < reusableTokens; begin += blockTokens) {
        const end = Math.min(reusableTokens, begin + blockTokens)
        hash = createHmac('sha256', salt)
          .update(hash)
          .update(ids.subarray(4 * begin, 4 * end))
          .digest()
        names.push(nameOf(hash, kind))
      }
      return { tenant, tokens, kind, reusableTokens, names, blockTokens, cutTokens }
    },
  }
}

/** Tells in which batches the block of this name was computed. */
export function kindOfName(name: string): PromptKind {
  return (Number.parseInt(name.slice(0, 2), 16) & SHORT_BIT) === 0 ? 'long' : 'short'
}

/** Leading tokens that the first `blocks` blocks stand for. */
export function tokensOf({ names, blockTokens, reusableTokens }: Chain, blocks: number): number {
  return blocks >= names.length ? reusableTokens : blocks * blockTokens
}

/** Leading blocks of which all tokens are among the first `tokens` tokens. */
export function blocksOf({ names, blockTokens, reusableTokens }: Chain, tokens: number): number {
  return tokens >= reusableTokens ? names.length : Math.floor(tokens / blockTokens)
}

/** How many leading names are the same. */
export function sharedLength(one: readonly string[], other: readonly string[]): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

/**
 * Leading tokens of a prompt that are those of an earlier one, as far as they can be reused.
 *
 * @param computedTokens leading tokens of the earlier one that its sequence holds
 */
export function sharedTokens(chain: Chain, earlier: Chain, computedTokens: number): number {
  if (chain.tenant !== earlier.tenant || chain.kind !== earlier.kind) return 0
  const most = Math.min(chain.reusableTokens, computedTokens)
  // A name stands for all tokens up to the end of its block: long prompts are compared by blocks.
  const blocks = sharedLength(chain.names, earlier.names)
  let tokens = Math.min(most, blocks * chain.blockTokens)
  while (tokens < most && chain.tokens[tokens] === earlier.tokens[tokens]) tokens += 1
  return wholeCuts(tokens, chain.cutTokens)
}

/** Names of the blocks that end at multiples of `tokens` tokens. */
export function namesEvery(chain: Chain, tokens: number): readonly string[] {
  return chain.names.filter((_name, index) => tokensOf(chain, index + 1) % tokens === 0)
}

/** No block can be reused: for a model whose memory cannot be taken apart. */
export const noBlocks: BlockNames = {
  chain: (tenant, tokens) => ({
    tenant,
    tokens,
    kind: 'long',
    reusableTokens: 0,
    names: [],
    blockTokens: 1,
    cutTokens: 1,
  }),
}

function nameOf(hash: Buffer, kind: PromptKind): string {
  const name = Buffer.from(hash.subarray(0, NAME_BYTES))
  const [first = 0] = name
  name[0] = kind === 'short' ? first | SHORT_BIT : first & ~SHORT_BIT
  return name.toString('hex')
}

function wholeCuts(tokens: number, cutTokens: number): number {
  return tokens - (tokens % cutTokens)
}

function littleEndian(ids: readonly number[]): Buffer {
  const bytes = Buffer.alloc(ids.length * 4)
  ids.forEach((id, index) => {
    bytes.writeInt32LE(id, index * 4)
  })
  return bytes
}
