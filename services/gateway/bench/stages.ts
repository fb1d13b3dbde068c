/** Where the processor time of a request goes, in the server's main thread. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { linesOf, type SampledWork, type Stage, tableOf } from '@svc/testing/cpu-profile'

const stages: readonly Stage[] = [
  { name: 'gateway: HTTP', place: /gateway\/src\/http/ },
  { name: 'gateway: admission', place: /gateway\/src\/admission/ },
  { name: 'gateway: wire formats', place: /gateway\/src\/formats/ },
  { name: 'gateway: life of a request', place: /gateway\/src\/request/ },
  { name: 'gateway: workers', place: /gateway\/src\/routing/ },
  { name: 'gateway: routes', place: /gateway\/src/ },
  { name: 'ledger', place: /services\/ledger|contracts\/src/ },
  { name: 'event store, SQLite', place: /event-store|infra\/sqlite/ },
  { name: 'views', place: /^projections/ },
  { name: 'timers, turns, seals', place: /^infra/ },
  { name: 'log of requests', place: /^services\/operator/ },
  { name: 'Fastify', place: /node_modules\/(fastify|find-my-way|avvio|secure-json)/ },
  { name: 'undici (to the worker)', place: /undici/ },
  { name: 'zod', place: /node_modules\/zod/ },
  { name: 'Node.js: HTTP', place: /^node:(_http|internal\/http|internal\/.*incoming)/ },
  {
    name: 'Node.js: sockets, streams',
    place: /^node:(net|internal\/(stream|net|js_stream)|stream|events)/,
  },
  {
    name: 'Node.js: timers, ticks, promises',
    place: /^node:(internal\/(timers|process|async)|timers)/,
  },
  { name: 'Node.js: other', place: /^node:/ },
  { name: 'garbage collector', place: /garbage/ },
  { name: 'native code, system calls', place: /\(program\)/ },
]

/** What was asked of the server, and when. */
export interface NamedWork extends SampledWork {
  readonly name: string
}

/** @param folder with the one profile of a server that has ended */
export function linesOfProfile(folder: string, works: readonly NamedWork[]): string[] {
  const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'))
  if (file === undefined) throw new Error('the server has left no profile')
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8'))
  return works.flatMap((work) => [
    `${work.name}: µs of the main thread per request`,
    ...linesOf(tableOf(profile, stages, work)),
    '',
  ])
}
