import { expect, test } from 'vitest'
import { ThinkingReader } from './thinking-reader.ts'

function read(pieces: readonly string[], inReasoning = false) {
  const reader = new ThinkingReader('<think>', '</think>', inReasoning)
  const thoughts = pieces.flatMap((piece) => reader.push(piece))
  const reasoning = [...thoughts, ...reader.end()].map((piece) =>
    'text' in piece ? piece.text : '',
  )
  return { reasoning: reasoning.join(''), text: reader.rest().text }
}

test.each<[string, string, boolean, { reasoning: string; text: string }]>([
  ['thoughts and an answer', '<think>hm</think>\n\nYes', false, { reasoning: 'hm', text: 'Yes' }],
  ['thoughts that the prompt has opened', 'hm</think>Yes', true, { reasoning: 'hm', text: 'Yes' }],
  ['thinking that is closed once more', '</think>\n\nYes', false, { reasoning: '', text: 'Yes' }],
  [
    'an answer with a tag in it',
    'A </think> ends',
    false,
    { reasoning: '', text: 'A </think> ends' },
  ],
  ['what merely begins like a tag', '</the>', false, { reasoning: '', text: '</the>' }],
  ['the beginning of a tag and no more', '</th', false, { reasoning: '', text: '</th' }],
])('%s, however they are cut', (_name, text, inReasoning, parts) => {
  expect(read([text], inReasoning)).toEqual(parts)
  expect(read([...text], inReasoning)).toEqual(parts)
})
