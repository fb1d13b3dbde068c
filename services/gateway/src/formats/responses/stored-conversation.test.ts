import { MemoryExpiringStore } from '@svc/infra/expiring-store/memory/memory-expiring-store'
import { expect, test } from 'vitest'
import { inputItemId, responseId } from './items/ids.ts'
import type { Item } from './items/items.ts'
import type { ResponseObject } from './response-object.ts'
import { ResponseStore } from './response-store.ts'
import { StoredConversation } from './stored-conversation.ts'

const account = 'acct_1'
const requestId = (number: number) => `req_${String(number).padStart(26, '0')}`

/** A store that notes what was loaded, and whether it was the account's turn. */
function noting() {
  const loaded: string[] = []
  let turns = 0
  const storedResponses = new MemoryExpiringStore()
  const store = new ResponseStore({
    storedResponses: {
      save: storedResponses.save.bind(storedResponses),
      remove: async () => false,
      removeAll: async () => 0,
      removeExpired: async () => 0,
      close: async () => {},
      load: async (owner, id, now) => {
        loaded.push(`${id} in turn ${turns}`)
        return await storedResponses.load(owner, id, now)
      },
    },
    bodyTurns: {
      run: async (_account, work) => {
        turns += 1
        return await work()
      },
    },
    clock: { nowMs: () => 0 },
  })
  /** @param texts of the items that the response's request brought */
  const save = (number: number, previous: number | null, texts: readonly string[]) => {
    const id = responseId(requestId(number))
    const before = previous === null ? null : responseId(requestId(previous))
    const response = { id, previous_response_id: before, output: [] } as unknown as ResponseObject
    const input = texts.map((text, index) => thought(number, index, text))
    return store.save(account, response, input)
  }
  return { save, loaded, conversation: new StoredConversation(store, account) }
}

const itemId = (number: number, index: number) => inputItemId('reasoning', requestId(number), index)

function thought(number: number, index: number, text: string): Item {
  const summary = [{ type: 'summary_text' as const, text }]
  return { id: itemId(number, index), type: 'reasoning', summary }
}

test('a response is read once, however many of its items are named and how often', async () => {
  const { save, loaded, conversation } = noting()
  await save(1, null, ['a', 'b'])
  await save(2, 1, ['c'])
  for (const index of [0, 1, 0, 1]) {
    expect(await conversation.item(itemId(1, index))).toMatchObject({ id: itemId(1, index) })
  }
  expect(await conversation.upTo(responseId(requestId(2)))).toHaveLength(3)
  expect(loaded.map((each) => each.split(' ')[0])).toEqual([1, 2].map(requestId).map(responseId))
})

test('one that is not there is looked for once', async () => {
  const { loaded, conversation } = noting()
  expect(await conversation.item(itemId(1, 0))).toBeUndefined()
  expect(await conversation.item(itemId(1, 0))).toBeUndefined()
  expect(loaded).toHaveLength(1)
})

test('each response is opened in a turn of its account, and read in another', async () => {
  const { save, loaded, conversation } = noting()
  await save(1, null, ['a'])
  await save(2, 1, ['b'])
  await conversation.upTo(responseId(requestId(2)))
  expect(loaded.map((each) => each.split(' ').at(-1))).toEqual(['1', '3'])
})

test('responses whose items are named have a bound together', async () => {
  const { save, conversation } = noting()
  const long = 'x'.repeat(6 * 1024 * 1024)
  for (const number of [1, 2, 3]) await save(number, null, [long])
  await conversation.item(itemId(1, 0))
  await conversation.item(itemId(2, 0))
  await conversation.item(itemId(1, 0))
  await expect(conversation.item(itemId(3, 0))).rejects.toMatchObject({
    code: 'context_length_exceeded',
    param: 'input',
  })
})
