/**
 * What computes when the operator leaves it to the worker (`SVC_GPU=auto`): the best kind of GPU
 * that gets through a trial, or the CPU.
 *
 * The kernels of a GPU can end the process that runs them, for example because the driver cannot
 * compile them, and nothing catches that. So each kind is tried in a process of its own, with the
 * model that is to be served, up to the end of the self-test. A kind that the operator names is
 * not tried: the worker serves on it or does not start.
 */
import type { GpuChoice, GpuKind } from '../engines/engine.ts'
import type { Log } from '../process/log.ts'

/**
 * How the trial of a kind of GPU ended: `absent`, there is none or no build of llama.cpp for it;
 * `refused`, for a reason that the worker finds too and tells better; `died`, with the process.
 */
export type TrialEnd =
  | { readonly end: 'passed' | 'absent' | 'refused' }
  | { readonly end: 'died'; readonly reason: string }

/**
 * @param kinds of GPUs that seem to be there, the best one first
 * @param tryGpu tries one in a process of its own
 */
export async function chooseGpu(
  kinds: readonly GpuKind[],
  tryGpu: (kind: GpuKind) => Promise<TrialEnd>,
  log: Log,
): Promise<GpuChoice> {
  const failures: string[] = []
  for (const kind of kinds) {
    const trial = await tryGpu(kind)
    if (trial.end === 'died') {
      const { reason } = trial
      log('warn', 'trial of the GPU failed, doing without it', { gpu: kind, reason })
      failures.push(`${kind} (${reason})`)
    } else if (trial.end !== 'absent') return { gpu: kind, problem: problemOf(failures, kind) }
  }
  return { gpu: 'off', problem: problemOf(failures, 'off') }
}

function problemOf(failures: readonly string[], gpu: GpuKind | 'off'): string | null {
  if (failures.length === 0) return null
  const computes = gpu === 'off' ? 'the CPU' : gpu
  return (
    `SVC_GPU=auto takes ${computes}, because of what failed: ${failures.join(', ')}; ` +
    `see docs/how-to/use-a-gpu.md, or set SVC_GPU=${gpu} to keep it so`
  )
}
