/**
 * Threads that make plans for callers, and are ended when one takes too long.
 *
 *     waiting ──a thread is free──▶ compiling ──▶ plan or refusal
 *                                       └──time or memory is used up──▶ refused; a new thread
 *
 * A thread that dies without a task had no schema to blame, and the next one may die as well: so it
 * starts after a pause, which grows. While none starts, schemas are refused and do not wait.
 *
 * Tenants take turns, and each has one thread at a time at most: who sends schemas that take all of
 * their time waits for them alone. While others come, a tenant rests after each plan for a multiple
 * of the time that it took: a thread at low priority holds up those that serve all the same, since
 * the system lets it run on for some milliseconds before they have the processor back.
 *
 * The time is the thread's own on the processor, so that a busy machine does not refuse what a
 * quiet one takes; by the clock it is {@link CLOCK_FACTOR} times that at most.
 */
import { Worker } from 'node:worker_threads'
import { Backoff } from '@svc/contracts/ports/backoff'
import type { Timer } from '@svc/contracts/ports/time'
import type { AnswerPlan } from '@svc/contracts/worker/protocol'
import { systemTimer } from '@svc/infra/system/system-timer'
import { threadEnvironment } from '@svc/infra/system/thread-environment'
import type { RecentTenants } from '@svc/infra/turns/recent-tenants'
import type { Log } from '../process/log.ts'
import { WorkerRefusal } from '../protocol/refusal.ts'
import { TenantQueue } from '../scheduling/tenant-queue.ts'
import type { CompileResult, ThreadData, ThreadMessage } from './messages.ts'

/** Tasks of one tenant that may wait to be compiled, and tasks of all tenants together. */
const TENANT_TASKS_MAX = 64
const TASKS_MAX = 1024
/**
 * Two: one tenant cannot keep the others from compiling. The second starts with the first task: a
 * start takes a second of a slow core, and many workers never compile anything.
 */
const THREADS = 2
/** Pauses before threads are started again of which one died without a task. */
const RESTART_PAUSES = { firstMs: 100, longestMs: 30_000 }
/** From this many pauses in a row on, schemas are refused while no thread is ready. */
const HOPEFUL_PAUSES = 3
/** A tenant has a quarter of a core at most: it rests for three times what its last plan took. */
const REST_FACTOR = 3
/** On a busy machine a plan may take this many times its processor time by the clock. */
const CLOCK_FACTOR = 20
const MICROSECONDS_PER_MS = 1000
/** Megabytes of a thread's memory. One that needs more is ended, and with it its plan. */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

export interface CompileThreadsOptions {
  readonly data: ThreadData
  /** Milliseconds of processor time that one plan may take. */
  readonly compileMs: number
  /**
   * The tenants that came lately, whether they had anything to compile or not: threads rest for
   * their sake.
   */
  readonly recent: Pick<RecentTenants, 'othersThan'>
  readonly log: Log
  readonly timer?: Timer
}

interface Task {
  readonly tenant: string
  /** What the plan is for, as JSON. */
  readonly asked: string
  readonly done: PromiseWithResolvers<AnswerPlan>
}

interface Thread {
  readonly worker: Worker
  /** Whether it has said that it is ready. */
  ready: boolean
  task: Task | null
  /** The thread's processor time when the task began, in milliseconds. */
  processorMs: number
  startedMs: number
  cancelDeadline: () => void
}

/** A schema whose compilation was ended, because of the time or the memory that it took. */
export class CompileTimeout extends WorkerRefusal {
  constructor(reason: string) {
    super('unsupported_schema', `the schema: ${reason}`)
  }
}

export class CompileThreads {
  readonly #options: CompileThreadsOptions
  readonly #queue = new TenantQueue<Task>(TASKS_MAX, TENANT_TASKS_MAX)
  readonly #threads = new Set<Thread>()
  readonly #resting = new Set<string>()
  readonly #timer: Timer
  readonly #restarts: Backoff
  /** How many threads there shall be: the second comes with the first task. */
  #wanted = 1
  /** Set while no thread is started, because one died without a task. */
  #cancelPause: (() => void) | null = null
  #closed = false

  constructor(options: CompileThreadsOptions) {
    this.#options = options
    this.#timer = options.timer ?? systemTimer
    this.#restarts = new Backoff(this.#timer, RESTART_PAUSES)
    this.#startMissing()
  }

  /**
   * @param asked what the plan is for, as JSON
   * @throws WorkerRefusal when the schema is refused or takes too long, too many wait, or no thread
   *   can be started
   */
  compile(tenant: string, asked: string): Promise<AnswerPlan> {
    if (this.#isHopeless) return Promise.reject(noThread())
    const task: Task = { tenant, asked, done: Promise.withResolvers() }
    if (!this.#queue.push(tenant, task)) {
      const message = 'too many schemas wait to be compiled'
      return Promise.reject(new WorkerRefusal('queue_full', message))
    }
    this.#wanted = THREADS
    this.#startMissing()
    this.#assign()
    return task.done.promise
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelPause?.()
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  get #isHopeless(): boolean {
    if (this.#restarts.pauses < HOPEFUL_PAUSES) return false
    return ![...this.#threads].some(({ ready }) => ready)
  }

  #startMissing(): void {
    while (this.#threads.size < this.#wanted && this.#cancelPause === null && !this.#closed) {
      try {
        this.#start()
      } catch (error) {
        // The system has no thread left to give.
        this.#pauseStarts(error)
      }
    }
  }

  /** Starts no thread for a while, and lets nobody wait for one when that is no longer worth it. */
  #pauseStarts(error: unknown): void {
    if (this.#cancelPause !== null) return
    const pauseMs = this.#restarts.take()
    const { log } = this.#options
    log('error', 'schema compiler thread did not start, retrying', { err: error, pauseMs })
    this.#cancelPause = this.#timer.after(pauseMs, () => {
      this.#cancelPause = null
      this.#startMissing()
    })
    if (!this.#isHopeless) return
    for (let task = this.#queue.shift(); task !== undefined; task = this.#queue.shift()) {
      task.done.reject(noThread())
    }
  }

  #start(): void {
    const { data } = this.#options
    const worker = new Worker(new URL('compile-thread.ts', import.meta.url), {
      workerData: data,
      resourceLimits: THREAD_MEMORY,
      stdin: false,
      env: threadEnvironment(),
      argv: [],
      execArgv: [],
      name: 'plan-compiler',
    })
    worker.unref()
    const idle = {
      ready: false,
      task: null,
      processorMs: 0,
      startedMs: 0,
      cancelDeadline: () => {},
    }
    const thread: Thread = { worker, ...idle }
    this.#threads.add(thread)
    worker.on('message', (message: ThreadMessage) => this.#hear(thread, message))
    worker.on('error', (error: NodeJS.ErrnoException) => this.#lose(thread, error))
    worker.on('exit', () => this.#lose(thread, undefined))
  }

  #hear(thread: Thread, message: ThreadMessage): void {
    const usedMs = message.processorMs - thread.processorMs
    thread.processorMs = message.processorMs
    if (message.type === 'ready') thread.ready = true
    else this.#finish(thread, message, usedMs)
    this.#assign()
  }

  #assign(): void {
    for (const thread of this.#threads) {
      if (!thread.ready || thread.task !== null) continue
      const busy = new Set([...this.#threads].map(({ task }) => task?.tenant))
      const hasToWait = (tenant: string) => busy.has(tenant) || this.#resting.has(tenant)
      const task = this.#queue.shift((tenant) => (hasToWait(tenant) ? Number.POSITIVE_INFINITY : 0))
      if (task === undefined) return
      thread.task = task
      thread.startedMs = performance.now()
      thread.worker.postMessage(task.asked)
      this.#expectBy(thread, this.#options.compileMs)
    }
  }

  #expectBy(thread: Thread, waitMs: number): void {
    const { task } = thread
    thread.cancelDeadline = this.#timer.after(waitMs, () => void this.#expire(thread, task))
  }

  /** The time is over by the clock. Whether it is by the processor, the thread's own clock says. */
  async #expire(thread: Thread, task: Task | null): Promise<void> {
    const { compileMs, log } = this.#options
    const { user, system } = await thread.worker.cpuUsage().catch(() => NO_TIME)
    if (thread.task !== task || task === null) return
    const usedMs = (user + system) / MICROSECONDS_PER_MS - thread.processorMs
    const leftMs = thread.startedMs + compileMs * CLOCK_FACTOR - performance.now()
    if (usedMs < compileMs && leftMs > 0) {
      this.#expectBy(thread, Math.min(leftMs, Math.max(1, compileMs - usedMs)))
      return
    }
    log('warn', 'schema compilation timed out, thread ended', {
      tenant: task.tenant,
      processorMs: Math.round(usedMs),
    })
    this.#rest(task.tenant, usedMs)
    this.#end(thread, `takes more than ${compileMs} ms to compile`)
  }

  #finish(thread: Thread, result: CompileResult, usedMs: number): void {
    if (thread.task !== null) this.#rest(thread.task.tenant, usedMs)
    this.#restarts.reset()
    const done = this.#release(thread)
    if (done === undefined) return
    if ('plan' in result) done.resolve(result.plan)
    else if ('refusal' in result) {
      const { code, message, details } = result.refusal
      done.reject(new WorkerRefusal(code, message, details))
    } else done.reject(new Error(result.failure))
  }

  #rest(tenant: string, usedMs: number): void {
    if (!this.#options.recent.othersThan(tenant)) return
    this.#resting.add(tenant)
    this.#timer.after(usedMs * REST_FACTOR, () => {
      this.#resting.delete(tenant)
      this.#assign()
    })
  }

  #end(thread: Thread, reason: string): void {
    this.#threads.delete(thread)
    this.#release(thread)?.reject(new CompileTimeout(reason))
    void thread.worker.terminate()
    this.#startMissing()
  }

  #lose(thread: Thread, error: NodeJS.ErrnoException | undefined): void {
    if (!this.#threads.has(thread) || this.#closed) return
    if (thread.task === null) {
      this.#threads.delete(thread)
      this.#pauseStarts(error)
      return
    }
    const isMemory = error?.code === 'ERR_WORKER_OUT_OF_MEMORY'
    this.#options.log('error', 'schema compiler thread died', {
      tenant: thread.task.tenant,
      error: String(error),
    })
    this.#end(thread, isMemory ? 'takes too much memory to compile' : 'cannot be compiled')
  }

  #release(thread: Thread): PromiseWithResolvers<AnswerPlan> | undefined {
    const { task } = thread
    thread.cancelDeadline()
    thread.task = null
    return task?.done
  }
}

function noThread(): WorkerRefusal {
  return new WorkerRefusal('queue_full', 'no schema can be compiled now: no thread starts')
}

const NO_TIME = { user: 0, system: 0 }
