/** Pages come whole wherever the frames of HTTP/2 and its window end in them. */
import { NO_STREAM, type StreamHead } from '@svc/contracts/ports/event-store'
import { expect, test } from 'vitest'
import { mustAppend, newEvent } from '../../compliance/fixtures.ts'
import { withStore } from '../testing/store-on-double.ts'

/** The bytes of a frame of HTTP/2. The window of a stream is four frames, less one byte. */
const FRAME_BYTES = 16_384
/** How many bytes a message has beside its data, with a good deal to spare on both sides. */
const BESIDE_BYTES = { from: 300, until: 800 }
const EVENTS_PER_APPEND = 20
const EVENTS_PER_PAGE = 4
/** Hundreds of reads wait for each other, on a busy machine for longer than the store lets them. */
const WITHIN_MS = 60_000

test('of every size around a frame, alone and in fours', { timeout: WITHIN_MS }, async () => {
  await withStore({ readTimeoutMs: WITHIN_MS }, async ({ store }) => {
    const sizes = Array.from(
      { length: BESIDE_BYTES.until - BESIDE_BYTES.from },
      (_, at) => FRAME_BYTES - BESIDE_BYTES.until + at,
    )
    let head: StreamHead = NO_STREAM
    for (let at = 0; at < sizes.length; at += EVENTS_PER_APPEND) {
      const events = sizes.slice(at, at + EVENTS_PER_APPEND).map((size) => newEvent(textOf(size)))
      head = (await mustAppend(store, 'account-1', head, events)).head
    }
    const page = async (from: number, limit: number) => {
      const request = { stream: 'account-1', direction: 'forwards', from, limit } as const
      return (await store.readStream(request)).map(({ data }) => data.length)
    }
    const all = await Promise.all(sizes.map((_, from) => page(from, 1)))
    expect(all).toEqual(sizes.map((size) => [size]))
    const places = sizes.flatMap((_, at) => (at % EVENTS_PER_PAGE === 0 ? [at] : []))
    const pages = await Promise.all(places.map((from) => page(from, EVENTS_PER_PAGE)))
    expect(pages.flat()).toEqual(sizes)
  })
})

/** Makes a JSON text of `size` characters. */
function textOf(size: number): string {
  const frame = JSON.stringify({ note: '' })
  return JSON.stringify({ note: 'x'.repeat(size - frame.length) })
}
