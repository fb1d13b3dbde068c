/** A server that answers chat completions, as its users meet it, with all its processes. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { processorMs } from '@svc/testing/processor-time'
import type { Gpu } from '../../src/engines/engine.ts'

export interface WholeServer extends AsyncDisposable {
  /** As figures name it. */
  readonly name: 'svc' | 'llama_server'
  readonly baseUrl: string
  /** Of the first process; the others are its children. */
  readonly pid: number
  /** @returns what a tenant proves itself with; empty where nobody has to */
  keyOf(tenant: number): string
  /** How often it had to be started again. */
  readonly restarts: number
  /** Ends it however it is, and starts it again; what it knew is lost. Not every one has that. */
  restart?(): Promise<void>
}

/** What both are told alike. */
export interface ServerSize {
  /** Tokens of a prompt and its answer together. */
  readonly contextTokens: number
  /** Answers at once. */
  readonly sequences: number
  readonly threads: number
  readonly gpu: Gpu
  readonly tenants: number
}

/** Milliseconds of all threads of all processes since their start. Linux only. */
export function processorMsOf({ pid }: WholeServer): number {
  return sumOf(pid, processorMs)
}

/** It was asked for something and takes no processor time: nothing will ever come. */
export class StoodStill extends Error {
  override readonly name = 'StoodStill'
}

const LOOK_MS = 1_000
const LOOKS = 15
/** Of all looks together: what a server takes that only waits. */
const STILL_MS_MAX = 100

/**
 * Does the work, which asks the server for something all the time.
 *
 * @throws StoodStill when the server does nothing for a quarter of a minute
 */
export async function unlessStill<Result>(
  server: WholeServer,
  work: () => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController()
  try {
    return await Promise.race([work(), refusedWhenStill(server, ended.signal)])
  } finally {
    ended.abort()
  }
}

async function refusedWhenStill(server: WholeServer, ended: AbortSignal): Promise<never> {
  const looks: number[] = []
  while (!ended.aborted) {
    const nowMs = processorMsOf(server)
    looks.push(nowMs)
    const before = looks.at(-1 - LOOKS)
    if (before !== undefined && nowMs - before < STILL_MS_MAX) {
      throw new StoodStill(`${server.name} stands still`)
    }
    await delay(LOOK_MS, undefined, { signal: ended }).catch(() => {})
  }
  throw ended.reason
}

/** What all processes hold of the machine's memory, in bytes, shared pages counted once each. */
export function residentBytesOf({ pid }: WholeServer): number {
  return sumOf(pid, (process) => kibibytes(process, 'Pss')) * 1024
}

function sumOf(pid: number, of: (pid: number) => number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const numbers = children.split(' ').filter(Boolean).map(Number)
  return numbers.reduce((sum, child) => sum + sumOf(child, of), of(pid))
}

/** A page that several processes have counts for each of them by its part. */
function kibibytes(pid: number, field: string): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const [, value] = rollup.match(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm')) ?? []
  if (value === undefined) throw new Error(`the kernel tells no ${field} of process ${pid}`)
  return Number(value)
}
