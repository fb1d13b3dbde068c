/**
 * `svc start`: the server with everything that it needs, in one process group, or one role of it.
 */
import type { Ready } from '@svc/server/roles/all'
import { Command } from 'commander'
import { startWorkerCommand } from './start-worker.ts'

/** Options of all commands: they mean the same everywhere. */
const COMMON = new Set(['quiet', 'color'])

export function startCommand(): Command {
  const command = new Command('start').description(
    'run the server: gateway, ledger, projections and an inference worker',
  )
  return running(withModel(withServerOptions(command)), 'all')
    .hook('preAction', (_start, role) => refuseOptionsOfOthers(role))
    .addCommand(running(withModel(roleCommand('gateway', 'answers clients')), 'gateway'))
    .addCommand(startWorkerCommand())
    .addCommand(running(roleCommand('projector', 'keeps views, and answers for them'), 'projector'))
    .addCommand(running(roleCommand('relay', 'sends the ledger to Kafka'), 'relay'))
    .addCommand(running(roleCommand('sweeper', 'ends what dead gateways left open'), 'sweeper'))
}

/** Commander takes options of the commands above anywhere: some would be taken and do nothing. */
function refuseOptionsOfOthers(role: Command): void {
  const own = new Set(role.options.map((option) => option.attributeName()))
  let names = role.name()
  const foreign: string[] = []
  for (let above = role.parent; above !== null; above = above.parent) {
    names = `${above.name()} ${names}`
    for (const option of above.options) {
      const name = option.attributeName()
      const isOwn = own.has(name) || COMMON.has(name)
      if (!isOwn && above.getOptionValueSource(name) === 'cli') foreign.push(`${option.long}`)
    }
  }
  if (foreign.length > 0) role.error(`error: ${names} has no option ${foreign.join(', ')}`)
}

function roleCommand(name: string, does: string): Command {
  const what = `run one role beside others, on an EVENTSTORE_URL that they share: ${does}`
  return withServerOptions(new Command(name).description(what))
}

function running(command: Command, role: Ready['role']): Command {
  return command.action(async (_local, given: Command) => {
    // It is loaded only here: no other command needs a server, and help least of all.
    const { runServer } = await import('../process/run-server.ts')
    await runServer(given.optsWithGlobals(), role)
  })
}

function withModel(command: Command): Command {
  return command.option('--model <model>', 'path to a GGUF file, an hf: URI, or demo (SVC_MODEL)')
}

function withServerOptions(command: Command): Command {
  return command
    .option('--port <number>', 'port to listen on; 0 takes a free one (SVC_PORT)')
    .option('--host <address>', 'address to listen on (SVC_HOST)')
    .option('--data-dir <dir>', 'folder that holds everything (SVC_DATA_DIR)')
    .option('--env-file <file>', 'read settings from a file of NAME=value lines')
    .option(
      '--accept-new-store',
      'go on with another event log, or an older copy, than the data folder was used with: what ' +
        'was made from the old one is removed',
    )
    .option('--json', 'print one JSON line when ready, and nothing else, on standard output')
}
