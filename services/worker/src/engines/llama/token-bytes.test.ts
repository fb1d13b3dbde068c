import { describe, expect, it } from 'vitest'
import { tokenBytes } from './token-bytes.ts'

describe('the bytes of a token', () => {
  it('are those of its text', () => {
    expect(tokenBytes('gpt2', 'Ġhé', ' hé')).toEqual([0x20, 0x68, 0xc3, 0xa9])
  })

  it('of half a character come from a byte-level vocabulary', () => {
    // 'Ã' is byte 0xC3 itself; 'Ģ', 'ġ', 'Ń' stand for the unprintable 0x80, 0x7F and 0xAD.
    expect(tokenBytes('gpt2', 'Ã', '\uFFFD')).toEqual([0xc3])
    expect(tokenBytes('gpt2', 'âĢġŃ', '\uFFFD')).toEqual([0xe2, 0x80, 0x7f, 0xad])
  })

  it('of half a character come from the byte tokens of SentencePiece', () => {
    expect(tokenBytes('llama', '<0xE2>', '\uFFFD')).toEqual([0xe2])
    expect(tokenBytes('llama', 'x\uFFFD', 'x\uFFFD')).toBeNull()
  })

  it('are unknown where nothing tells', () => {
    expect(tokenBytes('bert', undefined, '\uFFFD')).toBeNull()
    expect(tokenBytes('gpt2', '東', '\uFFFD')).toBeNull()
  })
})
