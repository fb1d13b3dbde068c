/**
 * A process for tests: appends to eight streams without end, and prints a line for each outcome.
 *
 *     node append-until-killed.ts FILE      (SVC_CRASH_POINT names where it is to die)
 *
 * It prints `ready`, then `appended STREAM REVISION` once the store has said so, or `unknown
 * STREAM`.
 */
import { writeSync } from 'node:fs'
import { NO_STREAM } from '@svc/contracts/ports/event-store'
import { crashPointsFromPlan } from '../../../system/crash-points.ts'
import { newEvents } from '../../compliance/fixtures.ts'
import { openSqliteEventStore } from '../sqlite-event-store.ts'

const [, , path = ''] = process.argv
const STREAMS = 8
const EXIT_FATAL = 70

const print = (line: string): void => void writeSync(1, `${line}\n`)

const store = openSqliteEventStore(path, {
  onFatal: () => print('fatal'),
  reachCrashPoint: crashPointsFromPlan(process.env.SVC_CRASH_POINT),
})
print('ready')

async function appendForever(stream: string): Promise<void> {
  const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
  let head = last ?? NO_STREAM
  for (;;) {
    const outcome = await store.append({ stream, expected: head, events: newEvents(3) })
    if (outcome.kind !== 'appended') {
      print(`${outcome.kind} ${stream}`)
      return
    }
    print(`appended ${stream} ${outcome.head.revision}`)
    head = outcome.head as typeof head
  }
}

// They end when the disk has failed: by then every one of them was told so.
await Promise.all(Array.from({ length: STREAMS }, (_, at) => appendForever(`account-${at}`)))
process.exit(EXIT_FATAL)
