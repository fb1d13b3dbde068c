/**
 * A byte-level BPE vocabulary: every byte is a token, so every text survives being tokenised. A few
 * merges make it a real BPE, and the control tokens of ChatML make it a chat model's.
 */

/** The kinds of tokens, by their numbers in a GGUF file. */
const NORMAL = 1
const CONTROL = 3
const USER_DEFINED = 4
const UNUSED = 5

const BYTES = 256
/** Ranges of bytes that stand for themselves in the text of a token, both ends included. */
const PRINTABLE = [
  [0x21, 0x7e],
  [0xa1, 0xac],
  [0xae, 0xff],
] as const
/** The first of the characters that stand for the other bytes. */
const STAND_INS_FROM = 0x100
const SPACE = 'Ġ'
/** Each result of a merge is a token, and may be used by the merges after it. */
const MERGES: readonly (readonly [string, string])[] = [
  ...([
    ['t', 'h'],
    ['h', 'e'],
    ['i', 'n'],
    ['e', 'r'],
    ['a', 'n'],
    ['in', 'g'],
  ] as const),
  ...([
    [SPACE, 't'],
    [SPACE, 'a'],
    [`${SPACE}t`, 'he'],
    [`${SPACE}a`, 'n'],
  ] as const),
]
const END_OF_TEXT = '<|endoftext|>'
const TURN_START = '<|im_start|>'
const TURN_END = '<|im_end|>'
/** Tags that are part of answers, each one token. */
const TAGS = ['<think>', '</think>', '<tool_call>', '</tool_call>']

export interface Vocabulary {
  readonly tokens: readonly string[]
  /** Of each token, the number of its kind. */
  readonly kinds: readonly number[]
  /** Pairs with a space between them, the strongest first. */
  readonly merges: readonly string[]
  readonly endOfText: number
  readonly endOfTurn: number
}

/** @param sizeMin filled up to this size with tokens that no text and no answer has */
export function byteLevelVocabulary(sizeMin: number): Vocabulary {
  const tokens: string[] = []
  const kinds: number[] = []
  const add = (text: string, kind: number): number => {
    kinds.push(kind)
    return tokens.push(text) - 1
  }
  for (const character of charactersOfBytes()) add(character, NORMAL)
  for (const [left, right] of MERGES) add(left + right, NORMAL)
  const endOfText = add(END_OF_TEXT, CONTROL)
  add(TURN_START, CONTROL)
  const endOfTurn = add(TURN_END, CONTROL)
  for (const tag of TAGS) add(tag, USER_DEFINED)
  while (tokens.length < sizeMin) add(`<|unused_${tokens.length}|>`, UNUSED)
  return { tokens, kinds, merges: MERGES.map((pair) => pair.join(' ')), endOfText, endOfTurn }
}

/** For each byte the character that stands for it in the text of a token, as GPT-2 began it. */
function charactersOfBytes(): readonly string[] {
  let standIn = STAND_INS_FROM
  return Array.from({ length: BYTES }, (_, byte) => {
    if (PRINTABLE.some(([from, to]) => byte >= from && byte <= to)) return String.fromCharCode(byte)
    standIn += 1
    return String.fromCharCode(standIn - 1)
  })
}
