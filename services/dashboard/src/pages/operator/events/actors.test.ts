import { expect, test } from 'vitest'
import { actorName } from './actors.ts'

const users = [
  { user_id: 'usr_1', display_name: 'Ada Lovelace', email: 'ada@example.com' },
  { user_id: 'usr_2', display_name: null, email: null },
]

test.each([
  ['user:usr_1', 'Ada Lovelace'],
  ['user:usr_2', 'user:usr_2'],
  ['user:usr_3', 'user:usr_3'],
  ['operator:billing-export', 'operator:billing-export'],
  ['operator', 'operator'],
])('%s is shown as %s', (actor, name) => {
  expect(actorName(actor, users)).toBe(name)
})
