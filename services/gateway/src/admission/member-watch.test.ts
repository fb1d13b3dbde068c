/** Requests of people who left an account end, whatever is wrong with somebody else. */
import { EventEmitter } from 'node:events'
import type { AccountMember } from '@svc/contracts/ports/account-sessions'
import { ManualTime } from '@svc/testing/manual-time'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { MemberWatch } from './member-watch.ts'
import { Stop } from './stop.ts'

const LOOK_MS = 250

test('one user whose membership cannot be read keeps no other request running', async () => {
  const time = new ManualTime()
  const lines: string[] = []
  const watch = new MemberWatch({
    sessions: {
      async staysIn({ userId }) {
        if (userId === 'unreadable') throw new Error('unreadable')
        return userId === 'stays'
      },
    },
    timer: time,
    logger: pino({}, { write: (line: string) => void lines.push(line) }),
  })
  const stops = await Promise.all(
    ['unreadable', 'stays', 'left'].map(async (userId) => {
      const stop = new Stop()
      const member: AccountMember = { userId, accountId: 'acct', role: 'member' }
      const request = { member, admitted: { place: { stop } } } as unknown as FastifyRequest
      await watch.watch(request, { raw: new EventEmitter() } as unknown as FastifyReply)
      return stop
    }),
  )
  await time.advance(LOOK_MS)
  expect(stops.map(({ reason }) => reason)).toEqual([undefined, undefined, 'member_left'])
  expect(lines).toHaveLength(1)
})
