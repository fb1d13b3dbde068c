import { ManualTime } from '@svc/testing/manual-time'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { LogQuarantine } from './log-quarantine.ts'

const damageOf = (stream: string) => ({ stream, revision: 3, cause: 'its history was altered' })

function opened(time: ManualTime) {
  const written: (readonly string[])[] = []
  const quarantine = new LogQuarantine({
    folder: {
      readQuarantine: () => [],
      writeQuarantine: (list) => void written.push(list.map(({ stream }) => stream)),
    },
    storeHealth: { setAside: () => [] },
    streamPrefix: '',
    timer: time,
    logger: pino({ level: 'silent' }),
  })
  return { quarantine, written }
}

test('a damaged stream is in the folder at once', () => {
  const { quarantine, written } = opened(new ManualTime())
  quarantine.note(damageOf('account-1'))
  expect(written).toEqual([['account-1']])
})

test('thousands that one look finds are written once, a second later', async () => {
  const time = new ManualTime()
  const { quarantine, written } = opened(time)
  for (let number = 1; number <= 5_000; number += 1) quarantine.note(damageOf(`account-${number}`))
  expect(written).toHaveLength(1)
  await time.advance(1_000)
  expect(written.map(({ length }) => length)).toEqual([1, 5_000])
  quarantine.release('account-1')
  await time.advance(10_000)
  expect(written.map(({ length }) => length)).toEqual([1, 5_000, 4_999])
})

test('what was found last is written when the server stops', () => {
  const time = new ManualTime()
  const { quarantine, written } = opened(time)
  quarantine.note(damageOf('account-1'))
  quarantine.note(damageOf('account-2'))
  quarantine.close()
  expect(written.at(-1)).toEqual(['account-1', 'account-2'])
  expect(time.plannedCount).toBe(0)
})
