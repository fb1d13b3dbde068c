/** What the worker's main thread and its compiling threads say to each other. */
import type { AnswerPlan } from '@svc/contracts/worker/protocol'
import type { SchemaLimits } from '../grammar/grammar.ts'
import type { WorkerRefusal } from '../protocol/refusal.ts'

/** What a thread is started with. */
export interface ThreadData {
  readonly familyName: string
  readonly chatTemplate: string
  readonly limits: SchemaLimits
}

/** What the service sends to a thread, one at a time: what the plan is for, as JSON. */
export type CompileTask = string

/** What a thread sends: first `ready`, then one result for each task. */
export type ThreadMessage = {
  /** Processor time of the thread since its start. */
  readonly processorMs: number
} & ({ readonly type: 'ready' } | ({ readonly type: 'result' } & CompileResult))

export type CompileResult =
  | { readonly plan: AnswerPlan }
  | { readonly refusal: Pick<WorkerRefusal, 'code' | 'message' | 'details'> }
  /** A mistake of ours. */
  | { readonly failure: string }
