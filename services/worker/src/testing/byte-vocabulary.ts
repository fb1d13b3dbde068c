/** A vocabulary for tests: one token per byte, and a few tokens that stand for whole texts. */
import type { Vocabulary } from '../engine/engine.ts'

const CHATML_CONTROL = ['<|im_start|>', '<|im_end|>', '<|bos|>']
const BYTES = 256

export const imStart = BYTES
export const imEnd = BYTES + 1
export const beginOfText = BYTES + 2

/** @param options.control texts of more control tokens, after those of ChatML */
export function byteVocabulary(
  options: { beginOfText?: boolean; control?: readonly string[] } = {},
): Vocabulary {
  const control = [...CHATML_CONTROL, ...(options.control ?? [])]
  const separator = new RegExp(`(${control.map(RegExp.escape).join('|')})`)
  return {
    size: BYTES + control.length,
    longestTokenUnits: 1,
    beginOfText: options.beginOfText === true ? beginOfText : null,
    beginOfTextString: '<|bos|>',
    endOfTextString: '<|im_end|>',
    tokenize: (text, special) =>
      text
        .split(special ? separator : /(?!)/)
        .flatMap((part) =>
          special && control.includes(part) ? [BYTES + control.indexOf(part)] : bytes(part),
        ),
    detokenize: (tokens) => Buffer.from(tokens.filter((token) => token < BYTES)).toString('utf8'),
    bytes: (token) => (token < BYTES ? [token] : []),
    controlText: (token) => control[token - BYTES] ?? '',
    isEndOfGeneration: (token) => token === imEnd,
  }
}

export function bytes(text: string): number[] {
  return [...Buffer.from(text, 'utf8')]
}
