/** `svc start worker`: one worker in this process, for servers that run apart from it. */
import { workerOptions } from '@svc/worker/settings/worker-options'
import { Command } from 'commander'

export function startWorkerCommand(): Command {
  const command = new Command('worker')
    .description('run one worker, for servers elsewhere: SVC_WORKER_URLS, or svc worker add')
    .option('--env-file <file>', 'read settings from a file of NAME=value lines')
    .option('--json', 'print one JSON line when ready, and nothing else, on standard output')
    .action(async (_local, command: Command) => {
      // It is loaded only here: no other command needs a worker, and help least of all.
      const { runWorkerUntilStopped } = await import('../process/run-worker.ts')
      await runWorkerUntilStopped(command.optsWithGlobals())
    })
  for (const { flags, description } of workerOptions) command.option(flags, description)
  return command
}
