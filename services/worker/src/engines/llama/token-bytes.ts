/** Which bytes a token stands for, also where they are only a part of a character. */

const BYTE_MAX = 0xff
const REPLACEMENT = '\uFFFD'

/**
 * @param kind of tokenizer, as model files name it: `gpt2` is byte-level, `llama` SentencePiece
 * @param entry the token as the vocabulary writes it
 * @param text what the token reads as by itself
 * @returns null where neither the text nor the vocabulary tells
 */
export function tokenBytes(kind: string, entry: string | undefined, text: string): number[] | null {
  if (!text.includes(REPLACEMENT)) return [...Buffer.from(text, 'utf8')]
  if (entry === undefined) return null
  if (kind === 'gpt2') return byteLevel(entry)
  const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(entry)?.[1]
  return byte === undefined ? null : [Number.parseInt(byte, 16)]
}

function byteLevel(entry: string): number[] | null {
  const bytes = Array.from(entry, (character) => byteOf.get(character))
  return bytes.every((byte) => byte !== undefined) ? bytes : null
}

/** Byte-level vocabularies write printable bytes as themselves and the others from U+0100 on. */
const byteOf: ReadonlyMap<string, number> = new Map(
  Array.from({ length: BYTE_MAX + 1 }, (_, byte) => byte)
    .toSorted((a, b) => Number(isPrintable(b)) - Number(isPrintable(a)) || a - b)
    .map((byte, index, bytes) => {
      const printable = bytes.filter(isPrintable).length
      return [String.fromCodePoint(isPrintable(byte) ? byte : 0x100 + index - printable), byte]
    }),
)

function isPrintable(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
}
