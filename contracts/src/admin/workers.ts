/** The service, and its workers. Fields that only a worker can answer are null until it does. */
import { z } from 'zod'
import {
  auditRequest,
  auditResponse,
  cacheMode,
  drainRequest,
  healthResponse,
} from '../worker/condition.ts'
import { lineOperation, operation, type Shown } from './declaration/declaration.ts'
import { count, id, nothing } from './declaration/fields.ts'
import { projectionState } from './log/projections.ts'

const URL_CHARACTERS_MAX = 1_000

/** Stands in paths, tables and labels. */
const newWorkerId = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'must be at most 64 letters, digits, ".", "_" and "-"')

const { status } = healthResponse.shape
/** Workers that take requests now. */
const readyWorkers = { ready_workers: count }
/** A share of 1; null before the first. */
const share = z.number().nullable()

const workerSummary = z.object({
  worker_id: z.string(),
  status: z.string(),
  model_name: z.string(),
  toy: z.boolean(),
  restarts: count,
  /** What is wrong with it, in one line. */
  problem: z.string().nullable(),
})
export type WorkerSummary = Shown<typeof workerSummary>

const workerSetup = z.object({
  instance_id: z.string(),
  device: healthResponse.shape.device,
  /** The GPUs by their names; null where the CPU computes, and of a worker that does not tell. */
  gpu: z.string().nullable(),
  cpu_variant: z.string(),
  fingerprint: z.string(),
  context_size: count,
  threads: count,
})

/**
 * The use of one tier. No worker knows what lies in Redis: there `blocks`, `bytes` and `bytes_max`
 * are 0.
 */
const tierUse = z.object({
  blocks: count,
  bytes: count,
  bytes_max: count,
  hits: count,
  writes: count,
  failures: count,
})
export type TierUse = Shown<typeof tierUse>

/** The use of a worker's cache since the worker started. */
const cacheUse = z.object({
  /** Prompts whose beginning was looked for. */
  prompts: count,
  /** The share of the prompts of which at least one block was reused. */
  prompt_hit_rate: share,
  /** The prompt tokens that were not computed. */
  token_hit_rate: share,
  /** Null means that it is not in use. */
  l1: tierUse.nullable(),
  l2: tierUse.nullable(),
  /** Prompts that the runtime counted otherwise than the worker: an alarm. */
  meter_mismatches: count,
})
export type CacheUse = Shown<typeof cacheUse>

const workerDetails = workerSummary.extend({
  /** The address at which the server speaks to the worker, without a secret. */
  address: z.string(),
  /** Whether this server has started it. Such a worker can be drained, and not removed. */
  supervised: z.boolean(),
  setup: workerSetup.nullable(),
  /** Requests of all gateways. */
  load: z.object({ sequences: count, running: count, queued: count }).nullable(),
  cache: cacheMode.extend({ use: cacheUse.nullable() }).nullable(),
})
export type WorkerDetails = Shown<typeof workerDetails>

const addedWorker = z.object({
  worker_id: z.string(),
  /** The address at which the server speaks to the worker, without a secret. */
  address: z.string(),
  status: z.enum([...status.options, 'unreachable']),
  /** Why it gives no answer yet, in one line. */
  problem: z.string().nullable(),
  /** False when it was in use before. */
  created: z.boolean(),
  ...readyWorkers,
})
export type AddedWorker = Shown<typeof addedWorker>

const removedWorker = z.object({
  worker_id: z.string(),
  /** `leaving`: it gets nothing more, and is forgotten when what runs on it has ended. */
  status: z.enum(['leaving', 'removed']),
  /** Requests of this server that run on it. */
  running: count,
  ...readyWorkers,
})
export type RemovedWorker = Shown<typeof removedWorker>

const drainedWorker = z.object({ worker_id: z.string(), status, ...readyWorkers })
export type DrainedWorker = Shown<typeof drainedWorker>

const { checked, gone, differing } = auditResponse.shape

const auditedWorker = z.object({
  type: z.literal('worker'),
  worker_id: z.string(),
  checked,
  gone,
  differing,
  /** `unanswered`: the worker did not answer. `cache-off`: it has no blocks. */
  outcome: z.enum(['compared', 'cache-off', 'unanswered']),
  /** Why it gave no answer, in one line. */
  problem: z.string().nullable(),
})
export type AuditedWorker = Shown<typeof auditedWorker>

const auditResult = z.object({
  type: z.literal('result'),
  /** Workers that compared their blocks. */
  compared: count,
  unanswered: count,
  checked,
  gone,
  /** The number of blocks that are not what the model computes. */
  differing: count,
})
export type AuditResult = Shown<typeof auditResult>

const serviceStatus = z.object({
  version: z.string(),
  /** The way the answer was found: a running server, or the opened folder of a stopped one. */
  mode: z.enum(['running', 'stopped']),
  base_url: z.string().nullable(),
  data_dir: z.string(),
  store: z.object({
    kind: z.string(),
    /** The position where the log ends; null while the store does not answer. */
    position: z.string().nullable(),
    /** Says what is wrong with the store, a sentence each; empty when all is well. */
    problems: z.array(z.string()),
  }),
  /** Is null where no Kafka is named, and for a service that is stopped. */
  feed: z
    .object({
      topic: z.string(),
      /** Every event of the ledger up to here was found in the topic; -1 before the first. */
      position: z.string(),
      /**
       * The distance of that from the end of the log: events in a SQLite log, bytes on
       * EventStoreDB.
       */
      lag: z.string().nullable(),
      /** The time that the oldest event that was read has waited to be acknowledged. */
      waiting_seconds: count,
      /** Says what is wrong with the feed, a sentence each; empty when all is well. */
      problems: z.array(z.string()),
    })
    .nullable(),
  /** Is null where no topic of top-ups is named, and for a service that is stopped. */
  top_ups: z
    .object({
      topic: z.string(),
      group: z.string(),
      dead_letter_topic: z.string(),
      /** Payments that this server has granted since its start. */
      granted: count,
      /** The number of records that came again, and had been granted before. */
      repeated: count,
      /**
       * The number of records that can never be granted and are kept in the topic of dead letters.
       */
      dead: count,
      /**
       * Records in this server's share of the topic that are not taken yet; null while Kafka does
       * not answer.
       */
      waiting: z.string().nullable(),
      /** Says what keeps payments from being granted, a sentence each; empty when all is well. */
      problems: z.array(z.string()),
    })
    .nullable(),
  /** Is empty on a gateway that asks other servers for views; what they count is null there. */
  projections: z.array(projectionState),
  workers: z.array(workerSummary),
  /** Names of models that are served and have no price: requests for them are refused. */
  unpriced_models: z.array(z.string()),
  /**
   * The time when an announced price takes effect, from which on they are sold; null where none is
   * announced, or all have a price.
   */
  priced_from: z.string().nullable(),
  accounts: count.nullable(),
  open_requests: count.nullable(),
  /**
   * Requests that hold credit a minute behind their deadline, which a running server ends within
   * seconds: somebody has to look. At most the thousand oldest holds are looked at.
   */
  overdue_holds: z
    .object({
      count: count.describe('How many of them there are.'),
      /** The first of their deadlines; null where there is none. */
      since: z.string().nullable().describe('The first of their deadlines; null: there is none.'),
    })
    .nullable(),
})
export type ServiceStatus = Shown<typeof serviceStatus>

export const workerOperations = {
  status: operation({
    method: 'GET',
    path: '/status',
    role: 'auditor',
    summary: 'How every part is: server, event log, projections, workers',
    input: nothing,
    output: serviceStatus,
  }),
  listWorkers: operation({
    method: 'GET',
    path: '/workers',
    role: 'auditor',
    summary: 'Each worker: health, load, and what its cache saves',
    input: nothing,
    output: z.array(workerDetails),
  }),
  drainWorker: operation({
    method: 'POST',
    path: '/workers/:worker_id/drain',
    role: 'operator',
    summary: 'End what runs on a worker and give it nothing new, or take that back',
    repeat: 'A worker that drains goes on draining, and one that does not, not.',
    input: z.strictObject({ worker_id: id, ...drainRequest.shape }),
    output: drainedWorker,
  }),
  addWorker: operation({
    method: 'POST',
    path: '/workers',
    role: 'operator',
    summary: 'Use a worker that runs already, until the server ends',
    repeat: 'A worker that is used already, at the same address, is shown: `created` is false.',
    input: z.strictObject({
      /** Null means that the server makes one. */
      worker_id: newWorkerId.nullable(),
      /** The URL, written as in `SVC_WORKER_URLS`. */
      url: z.string().max(URL_CHARACTERS_MAX),
    }),
    output: addedWorker,
  }),
  removeWorker: operation({
    method: 'POST',
    path: '/workers/:worker_id/remove',
    role: 'operator',
    summary: 'Give a worker nothing new, and forget it when what runs on it has ended',
    repeat: 'A worker that is leaving goes on leaving; one that has left is not found.',
    input: z.strictObject({ worker_id: id }),
    output: removedWorker,
  }),
  auditCache: lineOperation({
    method: 'POST',
    path: '/cache/audit',
    role: 'operator',
    summary: 'Have every ready worker compute cached blocks again and compare their bytes',
    repeat: 'Compares again, and changes nothing.',
    input: z.strictObject(auditRequest.shape),
    output: z.discriminatedUnion('type', [auditedWorker, auditResult]),
  }),
}
