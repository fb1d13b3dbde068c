/** What the command line of a worker takes, as its help shows it. */
import type { WorkerVariable } from './worker-variables.ts'

export interface WorkerOption {
  readonly flags: string
  readonly description: string
  /** The variable that says the same, where the flag is not given. */
  readonly variable?: WorkerVariable
}

export const workerOptions: readonly WorkerOption[] = [
  { flags: '--socket <path>', description: 'unix socket to listen on' },
  {
    flags: '--port <number>',
    description: 'or port; 0 takes a free one; needs SVC_WORKER_SECRET',
  },
  {
    flags: '--host <address>',
    description: 'with --port: where it listens; default 127.0.0.1; it speaks plain HTTP',
  },
  { flags: '--worker-id <id>', description: 'its name in receipts and logs; default worker-PID' },
  {
    flags: '--model <model>',
    description: 'path to a GGUF file, an hf: URI, or demo (SVC_MODEL)',
    variable: 'SVC_MODEL',
  },
  { flags: '--models-folder <dir>', description: 'where hf: downloads go; default ~/.svc/models' },
  {
    flags: '--context-size <tokens>',
    description: "of each sequence; default the model's, at most 4096 (SVC_CONTEXT_SIZE)",
    variable: 'SVC_CONTEXT_SIZE',
  },
  {
    flags: '--sequences <n>',
    description: 'requests at once; default 4 (SVC_SEQUENCES)',
    variable: 'SVC_SEQUENCES',
  },
  {
    flags: '--threads <n>',
    description: 'default all cores but one, at most all; the demo model takes 1 (SVC_THREADS)',
    variable: 'SVC_THREADS',
  },
  { flags: '--queue <n>', description: 'requests that may wait; default 256' },
  { flags: '--tenant-queue <n>', description: 'of one tenant; default 64' },
  {
    flags: '--gpu <kind>',
    description: 'off, auto, cuda, vulkan or metal (SVC_GPU)',
    variable: 'SVC_GPU',
  },
  {
    flags: '--cache <on|off>',
    description: 'whether prompts are reused (SVC_CACHE)',
    variable: 'SVC_CACHE',
  },
  {
    flags: '--cache-bytes <n>',
    description: 'of cached blocks in memory; default 512 MiB (SVC_CACHE_BYTES)',
    variable: 'SVC_CACHE_BYTES',
  },
  {
    flags: '--self-test <remembered|always>',
    description: 'whether what an earlier start found out of the model is used (SVC_SELF_TEST)',
    variable: 'SVC_SELF_TEST',
  },
  { flags: '--drained', description: 'takes no requests until it is told to' },
]

/** Flag without its dashes and its value, as `parseArgs` names it. */
export function optionName(flags: string): string {
  return flags.slice('--'.length).split(' ')[0] ?? ''
}
