/** A vocabulary for tests: one token per byte, and a few tokens that stand for whole texts. */
import type { Vocabulary } from '../engine.ts'

const CHATML_CONTROL = ['<|im_start|>', '<|im_end|>', '<|bos|>']
const BYTES = 256

export const imStart = BYTES
export const imEnd = BYTES + 1
export const beginOfText = BYTES + 2

/**
 * @param options.control texts of more control tokens, after those of ChatML
 * @param options.userDefined texts of tokens after these, which are found in every text
 */
export function byteVocabulary(
  options: {
    beginOfText?: boolean
    control?: readonly string[]
    userDefined?: readonly string[]
    /** Whether those that would be control tokens are user-defined ones as well. */
    noneIsControl?: boolean
  } = {},
): Vocabulary {
  const special = [...CHATML_CONTROL, ...(options.control ?? [])]
  const named = [...special, ...(options.userDefined ?? [])]
  const control = options.noneIsControl === true ? [] : special
  const userDefined = named.slice(control.length)
  const oneOf = (texts: readonly string[]) =>
    new RegExp(texts.length === 0 ? '(?!)' : `(${texts.map(RegExp.escape).join('|')})`)
  const [found, foundAlways] = [oneOf(named), oneOf(userDefined)]
  const firstUserDefined = BYTES + control.length
  return {
    size: BYTES + named.length,
    userDefined: new Map(userDefined.map((text, index) => [firstUserDefined + index, text])),
    longestTokenUnits: 1,
    beginOfText: options.beginOfText === true ? beginOfText : null,
    beginOfTextString: '<|bos|>',
    endOfTextString: '<|im_end|>',
    tokenize: (text, searched) =>
      text
        .split(searched ? found : foundAlways)
        .flatMap((part, index) => (index % 2 === 1 ? [BYTES + named.indexOf(part)] : bytes(part))),
    detokenize: (tokens) =>
      Buffer.from(
        tokens.flatMap((token) =>
          token < BYTES ? [token] : bytes(userDefined[token - firstUserDefined] ?? ''),
        ),
      ).toString('utf8'),
    bytes: (token) => (token < BYTES ? [token] : []),
    controlText: (token) => control[token - BYTES] ?? '',
    isEndOfGeneration: (token) => token === imEnd,
  }
}

export function bytes(text: string): number[] {
  return [...Buffer.from(text, 'utf8')]
}
