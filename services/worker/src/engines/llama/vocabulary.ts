/** A llama.cpp model's tokenizer behind the {@link Vocabulary} port. */
import type { LlamaModel, Token } from 'node-llama-cpp'
import type { Vocabulary } from '../engine.ts'
import { tokenBytes } from './token-bytes.ts'

export function llamaVocabulary(model: LlamaModel): Vocabulary {
  const { tokens } = model
  const { ggml } = model.fileInfo.metadata.tokenizer
  const detokenize: Vocabulary['detokenize'] = (list, previous) =>
    model.detokenize(list as Token[], false, previous as Token[])
  /** The text is needed for every drawn token, so each token is asked about only once. */
  const controlTexts: string[] = []
  const controlText = (token: number): string => {
    const { control } = model.getTokenAttributes(token as Token)
    const text = control ? model.detokenize([token as Token], true) : ''
    controlTexts[token] = text
    return text
  }
  return {
    size: ggml.tokens.length,
    // A text in the file is as long as the token's text, or longer: bytes have names of their own.
    longestTokenUnits: longestOf(ggml.tokens),
    beginOfText: tokens.shouldPrependBosToken ? tokens.bos : null,
    beginOfTextString: tokens.bosString ?? '',
    endOfTextString: tokens.eosString ?? '',
    tokenize: (text, special, continues) =>
      model.tokenize(text, special, continues ? 'trimLeadingSpace' : undefined),
    detokenize,
    bytes: (token) => tokenBytes(ggml.model, ggml.tokens[token], detokenize([token], [])),
    userDefined: userDefinedTokens(ggml.tokens, ggml.token_type ?? []),
    controlText: (token) => controlTexts[token] ?? controlText(token),
    isEndOfGeneration: (token) => model.isEogToken(token as Token),
  }
}

function longestOf(texts: readonly string[]): number {
  return texts.reduce((longest, { length }) => Math.max(longest, length), 1)
}

/** Model files mark these tokens with ggml's token type "user-defined". */
const USER_DEFINED = 4

function userDefinedTokens(
  texts: readonly string[],
  types: readonly number[],
): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  texts.forEach((text, token) => {
    if (types[token] === USER_DEFINED) found.set(token, text)
  })
  return found
}
