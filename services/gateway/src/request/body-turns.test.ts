/** Bodies that take long to look at: their account waits for its turn, and nobody else does. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ClientGone, Stop } from '../admission/stop.ts'
import { defaultHttpLimits } from '../http/limits.ts'
import { liveRequest } from './life.ts'

/** A request up to the look at its body, which is all that there is of it here. */
function request() {
  const turn = Promise.withResolvers<void>()
  const stop = new Stop()
  const tenants: string[] = []
  const looks: unknown[] = []
  const bodyTurns = {
    async run<Result>(tenant: string, work: () => Result): Promise<Result> {
      tenants.push(tenant)
      await turn.promise
      return work()
    },
  }
  const format = {
    parse(fields: unknown): never {
      looks.push(fields)
      throw new Error('looked at')
    },
  }
  const exchange = {
    requestId: 'r',
    caller: { accountId: 'a' },
    format,
    body: Buffer.from('{"b":1}'),
  }
  const ports = { bodyTurns, limits: defaultHttpLimits }
  const living = liveRequest(ports as never, { ...exchange, place: { stop } } as never)
  return { turn, stop, tenants, looks, living }
}

test('a body is looked at when its account has its turn', async () => {
  const { turn, tenants, looks, living } = request()
  await nextTurn()
  expect([tenants, looks]).toEqual([['a'], []])
  turn.resolve()
  await expect(living).rejects.toThrow('looked at')
  expect(looks).toEqual([{ b: 1 }])
})

test('a body whose client has left by then is not looked at', async () => {
  const { turn, stop, looks, living } = request()
  stop.stop('client_gone')
  turn.resolve()
  await expect(living).rejects.toThrow(ClientGone)
  expect(looks).toEqual([])
})
