/** Reads whose call ends in every way that a stream can. */
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { NO_EVENTS, type ServerEvent } from '../messages/server-event.ts'
import { OwnCalls } from './own-calls.ts'

const event = { stream: 'a', revision: 0 } as ServerEvent

/** Gives one call, which the test ends, in the place of the client's. */
function callsOn(call: PassThrough): OwnCalls {
  const open = async () => call
  return new OwnCalls({ openRead: open, openAppends: open } as unknown as ConstructorParameters<
    typeof OwnCalls
  >[0])
}

function readOn(call: PassThrough) {
  const events: ServerEvent[] = []
  const { ended } = callsOn(call).read({ direction: 'forwards', limit: 10 }, (each) => {
    events.push(each)
  })
  return { events, ended }
}

test('a read ends behind its last event', async () => {
  const call = new PassThrough({ objectMode: true })
  const { events, ended } = readOn(call)
  call.end(event)
  await ended
  expect(events).toEqual([event])
})

test('a read fails with the error of its call', async () => {
  const call = new PassThrough({ objectMode: true })
  const { ended } = readOn(call)
  call.destroy(new Error('away'))
  await expect(ended).rejects.toThrow('away')
})

test('a read whose call is gone without an end or an error is told so', async () => {
  const call = new PassThrough({ objectMode: true })
  const { ended } = readOn(call)
  call.destroy()
  await expect(ended).rejects.toThrow('the event store has ended a read halfway')
})

test('a watched read is ended by us, and takes nothing that comes behind', async () => {
  const call = Object.assign(new PassThrough({ objectMode: true }), {
    cancel: () => call.destroy(new Error('cancelled')),
  })
  const watch = { until: 100n, onPassedOver() {} }
  const asked = { direction: 'forwards', limit: 10, streams: ['svc.'], watch } as const
  const events: ServerEvent[] = []
  const { ended } = callsOn(call).read(asked, (each) => void events.push(each))
  call.write({ ...event, position: 1n })
  call.write({ lookedUpTo: 100n })
  call.write({ ...event, position: 101n })
  await ended
  expect(events.map(({ position }) => position)).toEqual([1n])
  expect(call.destroyed).toBe(true)
})

test('appends whose call is gone without an end or an error are told so', async () => {
  const call = new PassThrough({ objectMode: true })
  const data = { kind: 'json', text: '{}' } as const
  const made = { id: crypto.randomUUID(), type: 'Noted', data, metadata: new Uint8Array() }
  const appended = callsOn(call).append('a', NO_EVENTS, [made])
  const told = expect(appended).rejects.toThrow('the event store has ended the call for appends')
  call.destroy()
  await told
})
