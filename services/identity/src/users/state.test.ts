import { expect, test } from 'vitest'
import { evolve, noUsers } from './state.ts'
import { AT, issued, LATER } from './testing/given-users.ts'

test('a link that has ended is forgotten when the next one is made', () => {
  const state = noUsers()
  evolve(state, issued({ linkId: 'link_1', expiresAt: AT + 10 }), 'user:usr_a')
  evolve(state, issued({ linkId: 'link_2', expiresAt: LATER + 10, at: AT + 9 }), 'user:usr_a')
  expect([...state.links.keys()]).toEqual(['link_1', 'link_2'])
  evolve(state, issued({ linkId: 'link_3', expiresAt: LATER + 20, at: LATER }), 'user:usr_a')
  expect([...state.links.keys()]).toEqual(['link_2', 'link_3'])
})
