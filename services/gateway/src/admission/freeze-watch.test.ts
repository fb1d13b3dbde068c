/** Accounts are frozen each by itself, whatever is wrong with another. */
import { ServiceError } from '@svc/contracts/errors'
import { ManualTime } from '@svc/testing/manual-time'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { FreezeWatch, type FreezeWatchPorts } from './freeze-watch.ts'

const LOOK_MS = 250

interface Accounts {
  readonly frozen: readonly string[]
  readonly damaged?: readonly string[]
}

function watched({ frozen, damaged = [] }: Accounts) {
  const time = new ManualTime()
  const ended: string[] = []
  const lines: string[] = []
  const ledger = {
    isKnownFrozen: () => true,
    async account(accountId: string) {
      if (damaged.includes(accountId)) throw new ServiceError('account_damaged', 'damaged')
      return { status: frozen.includes(accountId) ? 'frozen' : 'active' }
    },
  } as unknown as FreezeWatchPorts['ledger']
  const watch = new FreezeWatch({
    ledger,
    views: { account: () => undefined },
    places: {
      accountIds: [...damaged, ...frozen, 'unfrozen'],
      freeze: (accountId) => void ended.push(accountId),
    },
    timer: time,
    logger: pino({}, { write: (line: string) => void lines.push(line) }),
  })
  watch.start()
  return { time, watch, ended, lines }
}

test('ends what a frozen account has under way, and nothing of one that is so no longer', async () => {
  const { time, ended } = watched({ frozen: ['frozen'] })
  await time.advance(LOOK_MS)
  expect(ended).toEqual(['frozen'])
})

test('an account that cannot be read keeps no other from being frozen', async () => {
  const { time, ended, lines } = watched({ damaged: ['damaged'], frozen: ['one', 'other'] })
  await time.advance(LOOK_MS)
  expect(ended).toEqual(['one', 'other'])
  expect(lines).toHaveLength(1)
})

test('looks again after a failure, and no more once it is stopped', async () => {
  const { time, watch, lines } = watched({ damaged: ['damaged'], frozen: [] })
  await time.advance(2 * LOOK_MS)
  expect(lines).toHaveLength(2)
  watch.stop()
  await time.advance(10 * LOOK_MS)
  expect(lines).toHaveLength(2)
})
