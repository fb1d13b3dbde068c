import { describe, expect, test } from 'vitest'
import { promptMessages, type Turn } from './conversation.ts'

const user = (text: string): Turn => ({ kind: 'user', text })
const call = (id: string, name = 'look') => ({ id, name, arguments: '{}' })
const result = (callId: string, text = 'seen'): Turn => ({
  kind: 'tool',
  callId,
  text,
  param: 'messages[1].tool_call_id',
})
const messages = (...turns: Turn[]) => promptMessages(turns, 'messages')

describe('instructions', () => {
  test('stand in front as one message, wherever they were given', () => {
    const turns: Turn[] = [
      user('one'),
      { kind: 'system', text: 'be brief' },
      { kind: 'assistant', text: 'two' },
      { kind: 'system', text: '' },
      { kind: 'system', text: 'be kind' },
    ]
    expect(messages(...turns)).toEqual([
      { role: 'system', content: 'be brief\n\nbe kind' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
    ])
  })

  test('between two turns of a user do not keep them apart', () => {
    expect(messages(user('a'), { kind: 'system', text: 's' }, user('b'))).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: 'a\n\nb' },
    ])
  })
})

test('neighbouring turns of the assistant are one, with all they called and thought', () => {
  const turns: Turn[] = [
    { kind: 'assistant', text: '', reasoning: 'hm' },
    { kind: 'assistant', text: 'I look', calls: [call('1')] },
    { kind: 'assistant', text: '', calls: [call('2')] },
  ]
  expect(messages(...turns)).toEqual([
    {
      role: 'assistant',
      content: 'I look',
      reasoning: 'hm',
      toolCalls: [call('1'), call('2')],
    },
  ])
})

test('many neighbouring turns take linear time', { timeout: 5_000 }, () => {
  const turns = Array.from({ length: 10_000 }, () => user('x'.repeat(1_000)))
  const [only] = messages(...turns)
  expect(only?.content).toHaveLength(10_000 * 1_002 - 2)
})

describe('the result of a tool', () => {
  const calls: Turn = { kind: 'assistant', text: '', calls: [call('1', 'a'), call('2', 'b')] }

  test('has the name of its call, in whatever order results come', () => {
    expect(messages(calls, result('2'), result('1')).slice(1)).toEqual([
      { role: 'tool', content: 'seen', toolCallId: '2', name: 'b' },
      { role: 'tool', content: 'seen', toolCallId: '1', name: 'a' },
    ])
  })

  test.each<[string, Turn[]]>([
    ['of an unknown call', [calls, result('3')]],
    ['before its call', [result('1'), calls]],
    ['that comes twice', [calls, result('1'), result('1')]],
  ])('%s is refused by its field', (_name, turns) => {
    const refused = expect.objectContaining({
      code: 'invalid_value',
      param: 'messages[1].tool_call_id',
    })
    expect(() => messages(...turns)).toThrow(refused)
  })

  test('may come for the same id again when the id was called again', () => {
    const again = messages(calls, result('1'), calls, result('1'))
    expect(again.filter(({ role }) => role === 'tool')).toHaveLength(2)
  })
})

test('nothing said is refused', () => {
  expect(() => messages()).toThrow(expect.objectContaining({ param: 'messages' }))
})
