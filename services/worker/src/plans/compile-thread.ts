/**
 * A thread that makes plans, one after the other. What compiles a caller's schema runs here and not
 * beside the decode loop: it can be ended at any moment, and with it nothing but this one plan.
 */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { parsedExactly } from '@svc/contracts/exact-number'
import type { ToolUse } from '@svc/contracts/worker/protocol'
import { threadMs } from '@svc/infra/system/thread-time'
import { stringFormats } from '../grammar/grammar.ts'
import { familyOf } from '../prompt/families/choose-family.ts'
import { WorkerRefusal } from '../protocol/refusal.ts'
import { type Asked, makePlan } from './answer-plan.ts'
import type { CompileResult, CompileTask, ThreadData, ThreadMessage } from './messages.ts'

/** Beside threads that serve, whose niceness is 0, this thread gets about a tenth of a core. */
const NICENESS = 10
/** Twenty tools with parameters of the kinds that agents send. */
const WARMING_TOOLS: ToolUse = {
  tools: Array.from({ length: 20 }, (_, index) => ({
    name: `tool_${index}`,
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        mode: { type: 'string', enum: ['read', 'write', `append_${index}`] },
        limit: { type: 'integer', minimum: 1, maximum: 100 },
        recursive: { type: 'boolean' },
        edits: { type: 'array', items: { type: 'object', properties: { line: {} } }, minItems: 1 },
        until: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      },
      required: ['path'],
      additionalProperties: false,
    },
  })),
  choice: 'auto',
  callable: null,
  parallel: true,
}
const { familyName, chatTemplate, limits } = workerData as ThreadData
const family = familyOf(familyName, chatTemplate)

giveWayToServing()
warmUp()
parentPort?.on('message', (task: CompileTask) => {
  const result = compile(task)
  say({ type: 'result', processorMs: threadMs(), ...result })
})
say({ type: 'ready', processorMs: threadMs() })

/** Schemas are compiled in time that nobody else wants. Only on Linux have threads a priority. */
function giveWayToServing(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS)
  } catch {
    // Where that is not allowed, or there is no /proc, it is one thread among others.
  }
}

/** The first schemas must not pay for what is made once, or is slow when it first runs. */
function warmUp(): void {
  const formats = [...stringFormats.keys()].map((format) => [format, { type: 'string', format }])
  const schema = { type: 'object', properties: Object.fromEntries(formats), required: ['date'] }
  const thinking = { enabled: false, effort: 'low', budgetTokens: null } as const
  makePlan(family, { toolUse: null, outputFormat: { type: 'json_schema', schema }, thinking })
  makePlan(family, { toolUse: WARMING_TOOLS, outputFormat: { type: 'text' }, thinking })
}

function compile(task: CompileTask): CompileResult {
  try {
    return { plan: makePlan(family, parsedExactly(task) as Asked, limits) }
  } catch (error) {
    if (error instanceof WorkerRefusal) {
      const { code, message, details } = error
      return { refusal: { code, message, details } }
    }
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

function say(message: ThreadMessage): void {
  parentPort?.postMessage(message)
}
