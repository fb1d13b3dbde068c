import {
  type Position,
  type RecordedEvent,
  START,
  StoreAwayError,
} from '@svc/contracts/ports/event-store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ServerTimeoutError } from '../client/server-failure.ts'
import { StreamPrefix } from '../layout/stream-prefix.ts'
import type { ReadWatch, ServerReadAll } from '../messages/server-calls.ts'
import type { ServerEvent } from '../messages/server-event.ts'
import { LogScan } from './log-scan.ts'

/** A server's log, and how much of it was read. */
class Log {
  readonly events: ServerEvent[] = []
  /** How many events were carried over. */
  read = 0
  isFilterSlow = false

  /** @param streams one letter for each event: `o` is ours, anything else is foreign */
  write(streams: string): void {
    for (const stream of streams) {
      const revision = this.events.length
      const position = BigInt(100 + 7 * revision)
      const name = stream === 'o' ? 'svc.account-1' : `other.${stream}`
      this.events.push({
        stream: name,
        id: `${revision}`,
        type: 'Noted',
        revision,
        position,
        data: { kind: 'json', text: '{}' },
        metadata: {},
      })
    }
  }

  async readAll(request: ServerReadAll): Promise<readonly ServerEvent[]> {
    const { direction, from, limit, streams = [''] } = request
    if (this.isFilterSlow && request.streams !== undefined) {
      throw new StoreAwayError('it is slow', { cause: new ServerTimeoutError('a read', 60_000) })
    }
    const isForwards = direction === 'forwards'
    const inOrder = isForwards ? this.events : this.events.toReversed()
    // Backwards the place itself does not come again.
    const behind = inOrder.filter(({ position, stream }) => {
      if (!streams.some((prefix) => stream.startsWith(prefix))) return false
      if (from === undefined) return true
      return isForwards ? position >= from : position < from
    })
    const page = behind.slice(0, limit)
    this.read += page.length
    if (request.watch !== undefined) this.#tellPassedOver(request, request.watch, page)
    return page
  }

  #tellPassedOver({ from = START, limit }: ServerReadAll, watch: ReadWatch, page: ServerEvent[]) {
    const end = page.length === limit ? page.at(-1)?.position : undefined
    const looked = this.events.filter(({ position }) => {
      return position > from && position <= (end ?? watch.until)
    })
    watch.onPassedOver(looked.length - page.length)
  }

  get ours(): Position[] {
    return this.events
      .filter(({ stream }) => stream.startsWith('svc.'))
      .map(({ position }) => position)
  }

  scan(): LogScan {
    const streamPrefix = new StreamPrefix('svc.')
    return new LogScan({
      readAll: (request) => this.readAll(request),
      concerning: streamPrefix.concerning,
      toOwn: (event) => streamPrefix.toOwn(event),
      note() {},
    })
  }
}

const positions = (events: readonly RecordedEvent[]) => events.map(({ position }) => position)

async function readWhole(scan: LogScan, limit: number): Promise<Position[]> {
  const found: Position[] = []
  for (;;) {
    const page = await scan.read(found.at(-1) ?? START, limit)
    found.push(...positions(page))
    if (page.length < limit) return found
  }
}

describe('the events of ours in a log', () => {
  test('are found all, once, in order, wherever they stand and however it grows', async () => {
    const part = fc.oneof(
      fc.constantFrom('o', 'x'),
      fc.integer({ min: 50, max: 150 }).map((length) => 'x'.repeat(length)),
      fc.integer({ min: 50, max: 150 }).map((length) => 'o'.repeat(length)),
    )
    const growth = fc.array(fc.array(part, { maxLength: 6 }), { minLength: 1, maxLength: 5 })
    const limit = fc.integer({ min: 1, max: 200 })
    await fc.assert(
      fc.asyncProperty(growth, limit, fc.boolean(), async (parts, pageLimit, isFilterSlow) => {
        const log = new Log()
        log.isFilterSlow = isFilterSlow
        const scan = log.scan()
        const followed: Position[] = []
        for (const written of parts) {
          log.write(written.join(''))
          expect(await scan.lastPosition()).toBe(log.ours.at(-1) ?? START)
          for (let isFull = true; isFull; ) {
            const page = await scan.read(followed.at(-1) ?? START, pageLimit)
            followed.push(...positions(page))
            isFull = page.length === pageLimit
          }
          expect(followed).toEqual(log.ours)
          expect(await readWhole(scan, pageLimit)).toEqual(log.ours)
        }
      }),
    )
  })

  test.each([false, true])('are found back to the start (slow filter: %s)', async (isSlow) => {
    const log = new Log()
    log.isFilterSlow = isSlow
    log.write(`${'x'.repeat(3_000)}${'oxx'.repeat(40)}${'x'.repeat(3_000)}oxo${'x'.repeat(90)}`)
    const scan = log.scan()
    const back = log.ours.toReversed()
    expect(positions(await scan.readBackwards(undefined, 500))).toEqual(back)
    for (const [at, from] of back.entries()) {
      expect(positions(await scan.readBackwards(from, 9))).toEqual(back.slice(at, at + 9))
    }
  })

  test('are not searched for again among those of others', async () => {
    const log = new Log()
    log.write(`${'x'.repeat(5_000)}o${'x'.repeat(10_000)}`)
    const scan = log.scan()
    const [ours = START] = log.ours
    expect(await scan.lastPosition()).toBe(ours)
    const first = log.read
    for (let look = 0; look < 100; look += 1) {
      expect(await scan.lastPosition()).toBe(ours)
      expect(await scan.read(ours, 500)).toEqual([])
    }
    expect(log.read - first).toBeLessThanOrEqual(200)
    expect(await scan.read(START, 500)).toHaveLength(1)
    const known = log.read
    log.write('xxo')
    expect(await scan.read(ours, 500)).toHaveLength(1)
    expect(await scan.read(START, 500)).toHaveLength(2)
    expect(log.read - known).toBeLessThanOrEqual(1_000)
  })

  test('are not carried over with those of others, from either end', async () => {
    const log = new Log()
    log.write(`${'x'.repeat(50_000)}${'oxxxxx'.repeat(40)}${'x'.repeat(50_000)}`)
    const scan = log.scan()
    expect(await scan.lastPosition()).toBe(log.ours.at(-1))
    expect(await readWhole(scan, 100)).toEqual(log.ours)
    expect(log.read).toBeLessThan(1_500)
  })

  test.each([false, true])(
    'are told apart from those of others that were passed over (slow filter: %s)',
    async (isFilterSlow) => {
      const log = new Log()
      log.isFilterSlow = isFilterSlow
      log.write(`${'x'.repeat(5_000)}${'oxx'.repeat(40)}${'x'.repeat(7_000)}oxo`)
      log.write('x'.repeat(900))
      const scan = log.scan()
      let passedOver = 0
      const found: Position[] = []
      const onPassedOver = (events: number): void => {
        passedOver += events
      }
      for (let isFull = true; isFull; ) {
        const page = await scan.read(found.at(-1) ?? START, 20, onPassedOver)
        found.push(...positions(page))
        isFull = page.length === 20
      }
      expect(found).toEqual(log.ours)
      const foreign = log.events.length - log.ours.length
      expect(passedOver).toBeLessThanOrEqual(foreign)
      // Short stretches are not told where pages hold more of ours than are asked for.
      expect(passedOver).toBeGreaterThanOrEqual(isFilterSlow ? foreign - 80 : foreign)
    },
  )

  test('are found without the filter where it takes too long', async () => {
    const log = new Log()
    log.isFilterSlow = true
    log.write(`${'x'.repeat(5_000)}ooo${'x'.repeat(5_000)}`)
    const scan = log.scan()
    expect(await scan.lastPosition()).toBe(log.ours.at(-1))
    expect(await readWhole(scan, 100)).toEqual(log.ours)
  })

  test('are found also among more gaps than are remembered', async () => {
    const log = new Log()
    for (let gap = 0; gap < 40; gap += 1) log.write(`${'x'.repeat(2_500 - gap)}o`)
    const scan = log.scan()
    expect(await readWhole(scan, 3)).toEqual(log.ours)
    expect(await readWhole(scan, 100)).toEqual(log.ours)
  })

  test('that were just appended count as the end, also when they cannot be read yet', async () => {
    const log = new Log()
    log.write('xo')
    const scan = log.scan()
    scan.noteAppended(5_000n)
    expect(await scan.lastPosition()).toBe(5_000n)
    expect(await new Log().scan().lastPosition()).toBe(START)
  })
})
