/** What the command line of a worker takes, as its help shows it. */
export const workerOptions: readonly { readonly flags: string; readonly description: string }[] = [
  { flags: '--socket <path>', description: 'unix socket to listen on' },
  {
    flags: '--port <number>',
    description: 'or port of the loopback; 0 takes a free one; needs SVC_WORKER_SECRET',
  },
  { flags: '--worker-id <id>', description: 'its name in receipts and logs; default worker-PID' },
  { flags: '--model <model>', description: 'path to a GGUF file, an hf: URI, or demo (SVC_MODEL)' },
  { flags: '--models-folder <dir>', description: 'where hf: downloads go; default ~/.svc/models' },
  {
    flags: '--context-size <tokens>',
    description: "of each sequence; default the model's, at most 4096 (SVC_CONTEXT_SIZE)",
  },
  { flags: '--sequences <n>', description: 'requests at once; default 4 (SVC_SEQUENCES)' },
  {
    flags: '--threads <n>',
    description: 'default and most: all cores but one; the demo model takes 1 (SVC_THREADS)',
  },
  { flags: '--queue <n>', description: 'requests that may wait; default 256' },
  { flags: '--tenant-queue <n>', description: 'of one tenant; default 64' },
  { flags: '--gpu <kind>', description: 'off, auto, cuda, vulkan or metal (SVC_GPU)' },
  { flags: '--cache <on|off>', description: 'whether prompts are reused (SVC_CACHE)' },
  {
    flags: '--cache-bytes <n>',
    description: 'of cached blocks in memory; default 512 MiB (SVC_CACHE_BYTES)',
  },
  { flags: '--drained', description: 'takes no requests until it is told to' },
]

/** Options that the server's settings give as well, to a worker that is started by hand. */
export const variableOf: Readonly<Record<string, string>> = {
  model: 'SVC_MODEL',
  contextSize: 'SVC_CONTEXT_SIZE',
  sequences: 'SVC_SEQUENCES',
  threads: 'SVC_THREADS',
  gpu: 'SVC_GPU',
  cache: 'SVC_CACHE',
  cacheBytes: 'SVC_CACHE_BYTES',
}
