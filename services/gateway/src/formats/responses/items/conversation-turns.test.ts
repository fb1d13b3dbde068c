import { expect, test } from 'vitest'
import { turnsOf } from './conversation-turns.ts'
import { EncryptedContent } from './encrypted-content.ts'
import type { Item } from './items.ts'

const noSeal = { seal: () => '', open: () => undefined }
const encrypted = new EncryptedContent(noSeal, 'acct_1')
const turns = (items: readonly Item[]) =>
  turnsOf(
    items.map((item) => ({ item, path: [] })),
    encrypted,
  )

const thought = (text: string): Item => {
  return { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text }] }
}
const called: Item = {
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'look',
  arguments: '{}',
  status: 'completed',
}
const asked: Item = {
  id: 'msg_1',
  type: 'message',
  role: 'user',
  status: 'completed',
  content: [{ type: 'input_text', text: 'why?' }],
}

test('thoughts stay with the answer or call after them, and are left out elsewhere', () => {
  const read = turns([thought('a'), thought('b'), called, thought('c'), asked, thought('d')])
  expect(read).toEqual([
    { kind: 'assistant', text: '', reasoning: 'a' },
    { kind: 'assistant', text: '', reasoning: 'b' },
    expect.objectContaining({ kind: 'assistant', calls: [expect.anything()] }),
    { kind: 'user', text: 'why?' },
  ])
})

test('many thoughts take linear time', { timeout: 5_000 }, () => {
  const thoughts = Array.from({ length: 100_000 }, () => thought(''))
  expect(turns([...thoughts, asked])).toHaveLength(1)
})
