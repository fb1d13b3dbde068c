import { MemoryRateLimits } from '@svc/infra/rate-limits/memory-rate-limits'
import { expect, test } from 'vitest'
import { SignInLimits } from './sign-in-limits.ts'

const HERE = '192.0.2.1'
const ELSEWHERE = '192.0.2.2'

function limited() {
  const limits = new SignInLimits(new MemoryRateLimits())
  const ends: (() => void)[] = []
  /** A password that is right, once it is checked. */
  const slow = () =>
    new Promise<true>((resolve) => {
      ends.push(() => resolve(true))
    })
  const check = (who: string, address: string, run: () => Promise<true | undefined>) =>
    limits.guarded(who, address, run).catch(({ code }: { readonly code: string }) => code)
  const endAll = () => {
    for (const end of ends.splice(0)) end()
  }
  return { check, slow, endAll, ends }
}

const wrong = async () => undefined
const right = async () => true as const

test('a guess counts while it is checked, and no more guesses get an answer', async () => {
  const { check } = limited()
  const guesses = Array.from({ length: 8 }, () => check('ada', HERE, wrong))
  const answers = await Promise.all(guesses)
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(5)
  expect(await check('ada', HERE, right)).toBe('rate_limit_exceeded')
  expect(await check('ada', ELSEWHERE, right)).toBe(true)
})

test('who has many passwords checked leaves the line to others, and may go on', async () => {
  const { check, slow, ends, endAll } = limited()
  const names = Array.from({ length: 30 }, (_, index) => `user ${index}`)
  const many = names.map((name) => check(name, HERE, slow))
  await expect.poll(() => ends.length).toBe(10)
  expect(await check('ada', ELSEWHERE, right)).toBe(true)
  endAll()
  const answers = await Promise.all(many)
  expect(answers.filter((answer) => answer === true)).toHaveLength(10)
  // A password that was right is not counted.
  for (const name of names) expect(await check(name, HERE, right)).toBe(true)
})
