/** Runs one worker in this process. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { within } from '@svc/contracts/ports/within'
import type { HealthResponse } from '@svc/contracts/worker/protocol'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { GpuKind, OpenEngine } from './engines/engine.ts'
import { gpuKinds, openLlama } from './engines/llama/llama.ts'
import { chooseGpu } from './gpu/gpu-choice.ts'
import { tryGpu } from './gpu/gpu-trial.ts'
import type { Log } from './process/log.ts'
import { StartRefused } from './process/start-refused.ts'
import { type ListenAddress, startProtocolServer, tryAddress } from './protocol/protocol-server.ts'
import type { WorkerSettings } from './settings/worker-settings.ts'
import { startWorker } from './worker.ts'

const DRAIN_MS_MAX = 30_000

export interface RunningWorker {
  readonly address: ListenAddress
  readonly health: HealthResponse
  /** Refuses new requests. Resolves when the running ones have ended, or after 30 seconds. */
  stop(): Promise<void>
}

/**
 * Loads the model, and then listens for gateways. Resolves when requests are answered, which takes
 * minutes for a large model: whether it can listen at all is tried before.
 *
 * @param onBroken is called when the runtime cannot be used any more: the process should end
 * @param openEngine opens the engine that computes tokens. Default: llama.cpp
 * @throws {StartRefused} with one line for the operator
 */
export async function runWorker(
  settings: WorkerSettings,
  log: Log,
  onBroken: (error: unknown) => void,
  openEngine: OpenEngine = openLlama,
): Promise<RunningWorker> {
  await listening(settings, tryAddress)
  const chosen = await withChosenGpu(settings, log)
  const worker = await startWorker(chosen, log, onBroken, openEngine)
  const { secret } = settings
  const server = await listening(settings, (listen) =>
    startProtocolServer({ worker: worker.api, listen, secret, log }),
  )
  const { address } = server
  log('info', 'ready', { address, workerId: settings.workerId })
  return {
    address,
    health: worker.api.health(),
    stop() {
      log('info', 'draining')
      const drained = worker.drain().then(() => server.close())
      return within(systemTimer, DRAIN_MS_MAX, drained, undefined)
    },
  }
}

/** Chooses what computes, where the operator leaves that to the worker. */
async function withChosenGpu(settings: WorkerSettings, log: Log): Promise<WorkerSettings> {
  const { engine, chosenGpu: earlier } = settings
  if (engine.gpu !== 'auto') return { ...settings, chosenGpu: null }
  const tryKind = (kind: GpuKind) => tryGpu(kind, settings, log)
  const chosenGpu = earlier ?? (await chooseGpu(await gpuKinds(), tryKind, log))
  return { ...settings, engine: { ...engine, gpu: chosenGpu.gpu }, chosenGpu }
}

async function listening<Listening>(
  { listen: address }: WorkerSettings,
  listen: (address: ListenAddress) => Promise<Listening>,
): Promise<Listening> {
  try {
    return await listen(address)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'error'
    const why = lacksFolder(address) ? 'its folder is not there: make it first' : code
    throw new StartRefused(`cannot listen on ${placeOf(address)} (${why})`)
  }
}

/** Of a socket without a folder the system says EACCES, which looks like a matter of rights. */
function lacksFolder(address: ListenAddress): boolean {
  if (!('socketPath' in address) || process.platform === 'win32') return false
  return !existsSync(dirname(address.socketPath))
}

function placeOf(address: ListenAddress): string {
  if ('socketPath' in address) return `socket ${address.socketPath}`
  const { host, port } = address
  return host === undefined ? `port ${port}` : `${host}, port ${port}`
}
