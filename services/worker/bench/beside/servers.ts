/** The servers that are measured beside each other. */
import { availableParallelism } from 'node:os'
import type { Bench } from '../bench.ts'
import { TENANTS } from '../parts/chat-conversations.ts'
import { LlamaServer } from './llama-server.ts'
import { SvcServer } from './svc-server.ts'
import type { ServerSize, WholeServer } from './whole-server.ts'

const CONTEXT_SIZE = 4_096

/**
 * Starts this project's server and, where its binary is named, llama.cpp's own, with the same
 * model, context and threads.
 *
 * @param stack ends them
 */
export async function startServers(
  bench: Bench,
  sequences: number,
  stack: AsyncDisposableStack,
): Promise<readonly [WholeServer, ...WholeServer[]]> {
  const size: ServerSize = {
    contextTokens: Math.min(bench.model.contextTokens, CONTEXT_SIZE),
    threads: threadsOf(bench),
    sequences,
    gpu: bench.gpu,
    tenants: Math.max(TENANTS, sequences),
  }
  const own = stack.use(await SvcServer.start(bench.model, bench.folder, size))
  if (bench.llamaServer === null) return [own]
  return [own, stack.use(await LlamaServer.start(bench.llamaServer, bench.model, size))]
}

export function threadsOf({ threads }: Bench): number {
  return threads ?? Math.max(1, availableParallelism() - 1)
}
