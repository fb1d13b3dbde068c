/** What `./svc` gives the server beside its arguments, for tests and benchmarks that start it. */
export const SERVER_NODE_FLAGS = [
  '--v8-pool-size=0',
  '--max-semi-space-size=16',
  '--heap-growing-percent=40',
] as const

export const SERVER_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' } as const
