import { ServiceError } from '@svc/contracts/errors'
import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { CountedWarnings } from './counted-warnings.ts'

function counted() {
  const time = new ManualTime()
  const lines: unknown[] = []
  const logger = { warn: (fields: object, message: string) => lines.push({ ...fields, message }) }
  return { time, lines, warnings: new CountedWarnings({ logger, timer: time }) }
}

const refused = (reason: string) =>
  new ServiceError('store_unavailable', 'Not now.', {
    cause: new Error('the event store cannot be read', { cause: new Error(reason) }),
  })

test('of a thousand that say the same one line is written in a second, with their number', async () => {
  const { time, lines, warnings } = counted()
  const message = 'requests refused'
  for (let n = 0; n < 1_000; n += 1) warnings.warn(message, refused(`read ECONNRESET\n ${n}`))
  expect(lines).toEqual([{ message, reason: 'read ECONNRESET 0', times: 1 }])
  await time.advance(1_000)
  expect(lines.slice(1)).toEqual([{ message, reason: 'read ECONNRESET 0', times: 999 }])
  await time.advance(10_000)
  expect(lines).toHaveLength(2)
  warnings.warn(message, refused('read ECONNRESET'))
  expect(lines).toHaveLength(3)
})

test('each reason has a line of its own, up to a bound', async () => {
  const { time, lines, warnings } = counted()
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  for (const letter of letters) warnings.warn('refused', refused(letter))
  expect(lines).toHaveLength(17)
  expect(lines.at(-1)).toEqual({ message: 'refused', reason: 'several reasons', times: 1 })
  await time.advance(1_000)
  expect(lines.at(-1)).toEqual({ message: 'refused', reason: 'several reasons', times: 9 })
})
