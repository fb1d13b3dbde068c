/** What older versions stored in other ways than this one. */
import { MemoryExpiringStore } from '@svc/infra/expiring-store/memory/memory-expiring-store'
import { describe, expect, test } from 'vitest'
import type { Item } from './items/items.ts'
import type { ResponseObject } from './response-object.ts'
import { ResponseStore } from './response-store.ts'
import { StoredConversation } from './stored-conversation.ts'

const account = 'acct_1'
const store = new ResponseStore({
  storedResponses: new MemoryExpiringStore(),
  bodyTurns: { run: async (_account, work) => work() },
  clock: { nowMs: () => 0 },
})

const user = (id: string): Item => ({
  id,
  type: 'message',
  role: 'user',
  status: 'completed',
  content: [],
})

function save(id: string, previous: string | null, input: readonly Item[]): Promise<void> {
  // A store looks at these fields of the object only.
  const response = { id, previous_response_id: previous, output: [] } as unknown as ResponseObject
  return store.save(account, response, input)
}

test('a response that an older version stored lists each item once', async () => {
  await save('resp_0', null, [user('msg_1'), user('msg_1'), user('msg_2')])
  const stored = await store.load(account, 'resp_0')
  expect(stored?.input.map(({ id }) => id)).toEqual(['msg_1', 'msg_2'])
})

describe('a conversation that an older version stored', () => {
  test('has each item once, where it stood first', async () => {
    await save('resp_1', null, [user('msg_1'), user('msg_2')])
    await save('resp_2', 'resp_1', [user('msg_2'), user('msg_3')])
    const items = await new StoredConversation(store, account).upTo('resp_2')
    expect(items.map(({ id }) => id)).toEqual(['msg_1', 'msg_2', 'msg_3'])
  })

  test('begins where the id of the response before is empty', async () => {
    await save('resp_3', '', [user('msg_4')])
    expect(await new StoredConversation(store, account).upTo('resp_3')).toEqual([user('msg_4')])
  })
})
