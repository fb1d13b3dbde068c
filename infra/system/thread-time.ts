const MICROSECONDS_PER_MS = 1_000

/** Milliseconds of processor time of the calling thread since its start. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / MICROSECONDS_PER_MS
}
