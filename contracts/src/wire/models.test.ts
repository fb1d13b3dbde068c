import { expect, test } from 'vitest'
import { MODEL, MODEL_ALIASES, resolveModel } from './models.ts'

test.each([MODEL, ...MODEL_ALIASES])('%s is the callable model', (name) => {
  expect(resolveModel(name)).toBe(MODEL)
})

test.each(['', 'SVC-BETA', 'svc-beta ', 'gpt-4', '__proto__', '../svc-beta'])(
  '%j is no model',
  (name) => {
    expect(resolveModel(name)).toBeUndefined()
  },
)
