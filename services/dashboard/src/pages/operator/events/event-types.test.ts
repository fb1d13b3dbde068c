import { eventSchemas } from '@svc/contracts/events/codec'
import { expect, test } from 'vitest'
import { eventTypes } from './event-types.ts'

test('every type of the log can be chosen', () => {
  expect(eventTypes).toEqual(Object.keys(eventSchemas).toSorted())
})
