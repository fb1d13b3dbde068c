/**
 * How long a text is that is far too long. It is counted only as far as it takes to prove that it
 * does not fit, so that a giant prompt costs no more than one that fits.
 *
 * Two proofs, the cheaper first: no token stands for more than the longest one does; and the texts
 * are counted piece by piece until there are too many tokens.
 */
import type { PromptLength } from '@svc/contracts/worker/protocol'
import type { Slices } from '@svc/infra/turns/slices'
import type { Vocabulary } from '../engines/engine.ts'
import { partsOf } from './text-parts.ts'

/**
 * What a token of usual text stands for, in UTF-16 units: a text that has more for each token that
 * there may be is counted here, as far as it takes, before it is tokenised whole.
 */
const USUAL_UNITS_PER_TOKEN = 4
/** A mere count is exact up to this many contexts: clients ask how much they have to leave out. */
const COUNTED_CONTEXTS_MAX = 16

/** A prompt that cannot fit the context. */
export class PromptTooLong extends Error {
  override readonly name = 'PromptTooLong'
  readonly length: PromptLength

  constructor(length: PromptLength) {
    super(`at least ${length.tokens} tokens do not fit the context of ${length.contextSize} tokens`)
    this.length = length
  }
}

/** What counting needs of a vocabulary. */
export type Counting = Pick<Vocabulary, 'tokenize' | 'longestTokenUnits'>

/** How long a prompt may be, in tokens. */
export interface PromptBounds {
  readonly contextSize: number
  /** More are not even counted. */
  readonly tokensMax: number
}

/** @param isCount whether nothing but the count is asked for */
export function boundsOf(contextSize: number, isCount: boolean): PromptBounds {
  return { contextSize, tokensMax: contextSize * (isCount ? COUNTED_CONTEXTS_MAX : 1) }
}

/** @throws PromptTooLong when the texts are far too long; others may be too long as well */
export function* refuseFarTooLong(
  texts: readonly string[],
  { contextSize, tokensMax }: PromptBounds,
  vocabulary: Counting,
): Slices<void> {
  const units = texts.reduce((sum, { length }) => sum + length, 0)
  if (units <= tokensMax * USUAL_UNITS_PER_TOKEN) return
  const proven = Math.ceil(units / vocabulary.longestTokenUnits)
  const tokens = proven > tokensMax ? proven : yield* countAbove(texts, tokensMax, vocabulary)
  if (tokens === null) return
  throw new PromptTooLong({ tokens, isLowerBound: true, contextSize })
}

/** @returns the tokens that were counted when there were too many; null when there never were */
function* countAbove(
  texts: readonly string[],
  tokensMax: number,
  vocabulary: Counting,
): Slices<number | null> {
  let tokens = 0
  for (const text of texts) {
    let cutTokens = 0
    for (const part of partsOf(text)) {
      tokens += vocabulary.tokenize(part, false, true).length - cutTokens
      if (tokens > tokensMax) return tokens
      // A cut may make two tokens of one.
      cutTokens = 1
      yield
    }
  }
  return null
}
