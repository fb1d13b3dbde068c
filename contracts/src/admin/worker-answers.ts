/** What operators are told of workers. Shapes only: they travel over HTTP as they are. */
import type { AuditResponse, HealthResponse, TierState } from '../worker/protocol.ts'

export interface WorkerLine {
  readonly workerId: string
  readonly status: string
  readonly modelName: string
  readonly toy: boolean
  readonly restarts: number
}

/** What only the worker itself can tell is null as long as it does not. */
export interface WorkerDetails extends WorkerLine {
  /** Where it is spoken to, without a secret. */
  readonly address: string
  readonly setup: WorkerSetup | null
  readonly load: WorkerLoad | null
  readonly cache: (HealthResponse['cache'] & { readonly use: CacheUse | null }) | null
  /** What is wrong with it, in one line. */
  readonly problem: string | null
}

export type WorkerSetup = Pick<
  HealthResponse,
  'instanceId' | 'device' | 'cpuVariant' | 'fingerprint' | 'contextSize' | 'threads'
>

/** Requests of all gateways. */
export interface WorkerLoad {
  readonly sequences: number
  readonly running: number
  readonly queued: number
}

/** Since the worker started. */
export interface CacheUse {
  /** Prompts whose beginning was looked for. */
  readonly prompts: number
  /** Of 1, those of which at least one block was reused; null before the first. */
  readonly promptHitRate: number | null
  /** Of 1, the prompt tokens that were not computed; null before the first. */
  readonly tokenHitRate: number | null
  /** Null: not in use. */
  readonly l1: TierUse | null
  readonly l2: TierUse | null
  /** Prompts that the runtime counted otherwise than the worker: an alarm. */
  readonly meterMismatches: number
}

/** What lies in Redis no worker knows: there `blocks`, `bytes` and `bytesMax` are 0. */
export type TierUse = Pick<
  TierState,
  'blocks' | 'bytes' | 'bytesMax' | 'hits' | 'writes' | 'failures'
>

export interface AddedWorker {
  readonly workerId: string
  /** Where it is spoken to, without a secret. */
  readonly address: string
  readonly status: HealthResponse['status'] | 'unreachable'
  /** Why it gives no answer yet, in one line. */
  readonly problem: string | null
  /** Workers that take requests now. */
  readonly readyWorkers: number
}

export interface RemovedWorker {
  readonly workerId: string
  /** `leaving`: it gets nothing more, and is forgotten when what runs on it has ended. */
  readonly status: 'leaving' | 'removed'
  /** Requests of this server that run on it. */
  readonly running: number
  /** Workers that take requests now. */
  readonly readyWorkers: number
}

export interface DrainResult {
  readonly workerId: string
  readonly status: HealthResponse['status']
  /** Workers that take requests now. */
  readonly readyWorkers: number
}

export interface AuditedWorker extends AuditResponse {
  readonly type: 'worker'
  /** `unanswered`: of its blocks nothing is known. `cache-off`: there are none. */
  readonly outcome: 'compared' | 'cache-off' | 'unanswered'
  /** Why it gave no answer, in one line. */
  readonly problem: string | null
}

export interface AuditResult {
  readonly type: 'result'
  /** Workers that compared their blocks. */
  readonly compared: number
  readonly unanswered: number
  readonly checked: AuditResponse['checked']
  readonly gone: number
  /** How many blocks are not what the model computes. */
  readonly differing: number
}
