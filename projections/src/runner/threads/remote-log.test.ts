import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Position, type RecordedEvent, START } from '@svc/contracts/ports/event-store'
import { expect, onTestFinished, test } from 'vitest'
import { RemoteLog } from './remote-log.ts'

const eventAt = (position: Position): RecordedEvent => ({
  stream: 'account-1',
  revision: Number(position),
  position,
  id: `${position}`,
  type: 'Noted',
  data: '{}',
  metadata: '{}',
  hash: 'ab',
})

test('a page that fails before it is needed fails when it is, and ends nothing before', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  let isAway = true
  const asked: Position[] = []
  const log = new RemoteLog(async (after) => {
    asked.push(after)
    if (isAway && after === 2n) throw new Error('away')
    return [eventAt(after + 1n)]
  })
  expect(await log.readAll({ after: START })).toEqual([eventAt(0n)])
  await expect.poll(() => asked).toEqual([START, 0n, 1n, 2n])
  await nextTurn()
  expect(unhandled).toEqual([])
  expect(await log.readAll({ after: 0n })).toEqual([eventAt(1n)])
  expect(await log.readAll({ after: 1n })).toEqual([eventAt(2n)])
  await expect(log.readAll({ after: 2n })).rejects.toThrow('away')
  isAway = false
  expect(await log.readAll({ after: 2n })).toEqual([eventAt(3n)])
  expect(unhandled).toEqual([])
})
