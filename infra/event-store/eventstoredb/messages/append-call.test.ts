/** One call after the other, seen from the side of the server. */
import { Duplex } from 'node:stream'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { expect, test, vi } from 'vitest'
import { AppendCalls } from './append-call.ts'
import type { AppendAnswer } from './append-messages.ts'
import { AppendRefusedError } from './append-refusal.ts'
import { NO_EVENTS } from './server-event.ts'

const event = {
  id: '00000000-0000-8000-8000-000000000001',
  type: 'Noted',
  data: { kind: 'json', text: '{}' },
  metadata: new Uint8Array(),
} as const

/** A call as the server has it: what came in, and whether the client has ended it. */
class ServerCall extends Duplex {
  readonly appendIds: number[] = []
  isEnded = false

  constructor() {
    super({ objectMode: true })
    this.on('finish', () => {
      this.isEnded = true
    })
  }

  override _write(message: Buffer, _encoding: string, done: () => void): void {
    const id = streams.BatchAppendReq.deserializeBinary(message).getCorrelationId()
    this.appendIds.push(Number(id?.getStructured()?.getLeastSignificantBits()))
    done()
  }

  override _read(): void {}

  answer(appendId = 0, revision = appendId): void {
    this.push({ appendId, result: { revision, position: 0n } } satisfies AppendAnswer)
  }

  refuse(appendId: number, detailType: string): void {
    const result = new AppendRefusedError(detailType, 'refused')
    this.push({ appendId, result } satisfies AppendAnswer)
  }
}

function callsOf(open?: () => Promise<Duplex>) {
  const opened: ServerCall[] = []
  const appends = new AppendCalls(async () => {
    if (open !== undefined) return open()
    const call = new ServerCall()
    opened.push(call)
    return call
  })
  const append = (stream: string) => appends.append(stream, NO_EVENTS, [event])
  return { opened, append }
}

/** Lets what was sent come in. */
const moment = () => new Promise((resolve) => setImmediate(resolve))

test('appends share a call, and each gets its own answer', async () => {
  const { opened, append } = callsOf()
  const [first, second] = [append('a'), append('b')]
  await moment()
  expect(opened).toHaveLength(1)
  opened[0]?.answer(2, 20)
  opened[0]?.answer(99)
  opened[0]?.answer(1, 10)
  expect(await first).toMatchObject({ revision: 10 })
  expect(await second).toMatchObject({ revision: 20 })
})

test('after a minute another call is opened, and the old one ends with its last answer', async () => {
  const { opened, append } = callsOf()
  const slow = append('a')
  await moment()
  const now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 60_001)
  try {
    const next = append('b')
    await moment()
    expect(opened.map(({ appendIds }) => appendIds)).toEqual([[1], [1]])
    opened[1]?.answer(1, 5)
    expect(await next).toMatchObject({ revision: 5 })
    expect(opened.map(({ isEnded }) => isEnded)).toEqual([false, false])
    opened[0]?.answer(1, 4)
    expect(await slow).toMatchObject({ revision: 4 })
    await moment()
    expect(opened.map(({ isEnded }) => isEnded)).toEqual([true, false])
  } finally {
    clock.mockRestore()
  }
})

test('after a denial the next append opens another call, and those on the old one are answered', async () => {
  const { opened, append } = callsOf()
  const [denied, pending] = [append('a'), append('b')]
  await moment()
  opened[0]?.refuse(1, 'event_store.client.AccessDenied')
  await expect(denied).rejects.toMatchObject({ type: 'access-denied' })
  const next = append('c')
  await moment()
  expect(opened.map(({ appendIds }) => appendIds)).toEqual([[1, 2], [1]])
  opened[1]?.answer(1)
  opened[0]?.answer(2)
  expect(await next).toMatchObject({ revision: 1 })
  expect(await pending).toMatchObject({ revision: 2 })
  await moment()
  expect(opened.map(({ isEnded }) => isEnded)).toEqual([true, false])
})

test('a refusal for another reason leaves the call as it is', async () => {
  const { opened, append } = callsOf()
  const refused = append('a')
  await moment()
  opened[0]?.refuse(1, 'event_store.client.StreamDeleted')
  await expect(refused).rejects.toMatchObject({ type: 'stream-deleted' })
  append('b')
  await moment()
  expect(opened.map(({ appendIds }) => appendIds)).toEqual([[1, 2]])
})

test('a call that breaks is told to all that wait, and the next append opens another', async () => {
  const { opened, append } = callsOf()
  const broken = [append('a'), append('b')]
  await moment()
  opened[0]?.destroy(new Error('read ECONNRESET'))
  for (const one of broken) await expect(one).rejects.toThrow('read ECONNRESET')
  const next = append('c')
  await moment()
  opened[1]?.answer(1)
  expect(await next).toMatchObject({ revision: 1 })
})

test('a call that the server ends leaves no append waiting', async () => {
  const { opened, append } = callsOf()
  const pending = append('a')
  await moment()
  opened[0]?.push(null)
  await expect(pending).rejects.toThrow('has ended the call')
})

test('a call that cannot be opened is told to all that wait, and is tried again', async () => {
  let isAway = true
  const { append } = callsOf(async () => {
    if (isAway) throw new Error('Failed to discover after 10 attempts.')
    const call = new ServerCall()
    call.answer(1)
    return call
  })
  await expect(append('a')).rejects.toThrow('Failed to discover')
  isAway = false
  expect(await append('a')).toMatchObject({ revision: 1 })
})
