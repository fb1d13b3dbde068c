/** A vocabulary for tests: one token per byte, and a few tokens that stand for whole texts. */
import type { Vocabulary } from '../engine/engine.ts'

const CONTROL = ['<|im_start|>', '<|im_end|>', '<|bos|>']
const BYTES = 256

export const imStart = BYTES
export const imEnd = BYTES + 1
export const beginOfText = BYTES + 2

export function byteVocabulary(options: { beginOfText?: boolean } = {}): Vocabulary {
  return {
    size: BYTES + CONTROL.length,
    beginOfText: options.beginOfText === true ? beginOfText : null,
    beginOfTextString: '<|bos|>',
    endOfTextString: '<|im_end|>',
    tokenize: (text, special) =>
      text
        .split(special ? /(<\|im_start\|>|<\|im_end\|>|<\|bos\|>)/ : /(?!)/)
        .flatMap((part) =>
          CONTROL.includes(part) ? [BYTES + CONTROL.indexOf(part)] : bytes(part),
        ),
    detokenize: (tokens) => Buffer.from(tokens.filter((token) => token < BYTES)).toString('utf8'),
    isEndOfGeneration: (token) => token === imEnd,
  }
}

export function bytes(text: string): number[] {
  return [...Buffer.from(text, 'utf8')]
}
