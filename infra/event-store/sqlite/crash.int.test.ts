/** What a process that dies in the middle leaves behind. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { runToEnd } from '@svc/testing/bounded-run'
import { runProgram } from '@svc/testing/child-process'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { beforeEach, describe, expect, test } from 'vitest'
import { verifyLog } from '../verify-log.ts'
import { openSqliteEventStore } from './sqlite-event-store.ts'
import { syncOrder } from './testing/sync-order.ts'

const PROGRAM = new URL('testing/append-until-killed.ts', import.meta.url)
const STREAMS = 8
const EVENTS_PER_APPEND = 3
const strace = ['strace', '-f', '-qq', '-o', '/dev/null']
const canTrace = runToEnd('strace', ['-o', '/dev/null', 'true']).status === 0

let folder: string
let path: string
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'ledger.db')
})

async function withStore<Result>(use: (store: EventStore) => Promise<Result>): Promise<Result> {
  const store = openSqliteEventStore(path, {
    onFatal: (error) => {
      throw error
    },
  })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

/** Reads the last revision of each stream that the process was told is durable. */
function acknowledged(lines: readonly string[]): Map<string, number> {
  const appended = lines.filter((line) => line.startsWith('appended ')).map((l) => l.split(' '))
  return new Map(appended.map(([, stream = '', revision]) => [stream, Number(revision)]))
}

async function expectNothingLost(lines: readonly string[]): Promise<void> {
  await withStore(async (store) => {
    const { broken, events, streams } = await verifyLog(store)
    expect(broken).toEqual([])
    expect(events % EVENTS_PER_APPEND).toBe(0)
    expect(streams).toBeLessThanOrEqual(STREAMS)
    for (const [stream, revision] of acknowledged(lines)) {
      const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
      expect(last?.revision).toBeGreaterThanOrEqual(revision)
      expect((last?.revision ?? 0) % EVENTS_PER_APPEND).toBe(EVENTS_PER_APPEND - 1)
    }
  })
}

describe('a process that is killed', () => {
  test('again and again under load loses nothing it has said, and opens again at once', async () => {
    const lines: string[] = []
    for (let round = 1; round <= 4; round += 1) {
      const process = runProgram(PROGRAM, [path])
      await process.printed(40 * round)
      process.child.kill('SIGKILL')
      expect(await process.ended).toBe('SIGKILL')
      lines.push(...process.lines)
      await expectNothingLost(lines)
    }
  })

  test.each([
    ['store.before-commit:1', 0],
    ['store.before-commit:5', 4],
    ['store.after-commit:1', 1],
    ['store.after-commit:5', 5],
  ])('at %s leaves %d commits', async (plan, commits) => {
    const process = runProgram(PROGRAM, [path], { env: { SVC_CRASH_POINT: plan } })
    expect(await process.ended).toBe('SIGKILL')
    await expectNothingLost(process.lines)
    const { events } = await withStore((store) => verifyLog(store))
    expect(events).toBe(commits * STREAMS * EVENTS_PER_APPEND)
  })
})

describe('a loss of power', () => {
  test.skipIf(!canTrace)('takes nothing that was said, nor the file', async () => {
    const trace = join(folder, 'trace')
    const calls = 'trace=write,pwrite64,fdatasync,fsync'
    const process = runProgram(PROGRAM, [path], {
      wrapper: ['strace', '-f', '--seccomp-bpf', '-y', '-qq', '-s', '8', '-e', calls, '-o', trace],
      env: { SVC_CRASH_POINT: 'store.after-commit:400' },
    })
    await process.ended
    const order = syncOrder(readFileSync(trace, 'utf8'))
    expect(order.broken).toEqual([])
    expect(order.told).toBeGreaterThan(2_000)
    expect(order.begunAgain).toBeGreaterThan(1)
  })
})

describe('a disk that fails', () => {
  test.skipIf(!canTrace)(
    'at an fsync makes the outcome unknown, and the process ends',
    async () => {
      const inject = [
        '-e',
        'trace=fdatasync,fsync',
        '-e',
        'inject=fdatasync,fsync:error=EIO:when=20+',
      ]
      const process = runProgram(PROGRAM, [path], { wrapper: [...strace, ...inject] })
      expect(await process.ended).toBe(70)
      const kinds = process.lines.map((line) => line.split(' ')[0])
      expect(kinds).toContain('appended')
      expect(kinds.filter((kind) => kind === 'fatal')).toHaveLength(1)
      expect(kinds.filter((kind) => kind === 'unknown')).toHaveLength(STREAMS)
      await expectNothingLost(process.lines)
    },
  )
})
