/** `svc start`: the server with everything that it needs, in one process group. */
import { Command } from 'commander'
import { startWorkerCommand } from './start-worker.ts'

export function startCommand(): Command {
  return new Command('start')
    .description('run the server: gateway, ledger, projections and an inference worker')
    .option('--port <number>', 'port to listen on; 0 takes a free one (SVC_PORT)')
    .option('--host <address>', 'address to listen on (SVC_HOST)')
    .option('--data-dir <dir>', 'folder that holds everything (SVC_DATA_DIR)')
    .option('--model <model>', 'path to a GGUF file, an hf: URI, or demo (SVC_MODEL)')
    .option('--env-file <file>', 'read settings from a file of NAME=value lines')
    .option(
      '--accept-new-store',
      'go on with another event log, or an older copy, than the data folder was used with: what ' +
        'was made from the old one is removed',
    )
    .option('--json', 'print one JSON line when ready, and nothing else, on standard output')
    .action(async (_local, command: Command) => {
      // Loaded only here: no other command needs a server, and help least of all.
      const { runServer } = await import('../process/run-server.ts')
      await runServer(command.optsWithGlobals())
    })
    .addCommand(startWorkerCommand())
}
