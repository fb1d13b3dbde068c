/** What the figures were measured on: without it they say nothing. */
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'

const GIBIBYTE = 1024 ** 3

export function describeMachine(): string {
  const [load = 0] = loadavg()
  const memory = Math.round(totalmem() / GIBIBYTE)
  return (
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${memory} GiB, ` +
    `${process.platform} ${release()}, Node ${process.versions.node}; ` +
    `load ${load.toFixed(1)}: other work makes every figure worse`
  )
}
