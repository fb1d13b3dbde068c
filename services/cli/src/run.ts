/** `svc` as a function: arguments and a terminal in, an exit code out. */

import { messageOf } from '@svc/contracts/error-message'
import { ServiceError } from '@svc/contracts/errors'
import { printable } from '@svc/contracts/printable'
import { VERSION } from '@svc/server/version'
import { Command, CommanderError, Option } from 'commander'
import { adminTokenCommand } from './commands/access/admin-token.ts'
import { eraseCommand } from './commands/access/erase.ts'
import { operatorTokenCommand } from './commands/access/operator-token.ts'
import { userCommand } from './commands/access/user.ts'
import { accountCommand } from './commands/accounts/account.ts'
import { adjustCommand, grantCommand, refundCommand } from './commands/accounts/corrections.ts'
import { holdCommand } from './commands/accounts/credit.ts'
import { keyCommand } from './commands/accounts/key.ts'
import { auditCommand } from './commands/audit.ts'
import { explainCommand } from './commands/bills/explain.ts'
import { monthCommand } from './commands/bills/month.ts'
import { reconcileCommand } from './commands/bills/reconcile.ts'
import { replayCommand } from './commands/bills/replay.ts'
import { requestsCommand } from './commands/bills/requests.ts'
import { statementCommand } from './commands/bills/statement.ts'
import { usageCommand } from './commands/bills/usage.ts'
import { doctorCommand } from './commands/doctor.ts'
import { eventsCommand } from './commands/events.ts'
import { evidenceCommand } from './commands/evidence/evidence.ts'
import { verifyEvidenceCommand } from './commands/evidence/verify-evidence.ts'
import { witnessCommand } from './commands/evidence/witness.ts'
import { feedCommand } from './commands/feed.ts'
import type { ContextOf } from './commands/options.ts'
import { priceCommand } from './commands/prices/price.ts'
import { projectionCommand } from './commands/projection.ts'
import { startCommand } from './commands/start.ts'
import { statusCommand } from './commands/status.ts'
import { backupCommand } from './commands/store/backup.ts'
import { migrateCommand } from './commands/store/migrate.ts'
import { storeCommand } from './commands/store/store.ts'
import { verifyCommand } from './commands/verify.ts'
import { workerCommand } from './commands/worker.ts'
import { Context } from './context/context.ts'
import { EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, exitCodeOf } from './context/exit-codes.ts'
import type { Terminal } from './context/terminal.ts'
import { asTyped } from './context/typed-names.ts'

/** In the order in which the help lists them, before `start`. */
const commands: readonly ((contextOf: ContextOf) => Command)[] = [
  statusCommand,
  doctorCommand,
  accountCommand,
  keyCommand,
  priceCommand,
  statementCommand,
  usageCommand,
  requestsCommand,
  monthCommand,
  explainCommand,
  verifyCommand,
  projectionCommand,
  eventsCommand,
  feedCommand,
  grantCommand,
  holdCommand,
  refundCommand,
  adjustCommand,
  workerCommand,
  auditCommand,
  adminTokenCommand,
  userCommand,
  eraseCommand,
  operatorTokenCommand,
  reconcileCommand,
  replayCommand,
  storeCommand,
  migrateCommand,
  backupCommand,
  evidenceCommand,
  verifyEvidenceCommand,
  witnessCommand,
]

export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const written: Promise<void>[] = []
  let acting: Command | undefined
  try {
    const program = programFor(terminal, (text) => written.push(terminal.out(text)))
    program.hook('preAction', (_program, command) => {
      acting = command
    })
    await program.parseAsync(args, { from: 'user' })
    return terminal.interrupted ? EXIT_INTERRUPTED : EXIT_OK
  } catch (error) {
    // The help that Commander shows, and then ends with an error, may not have been written.
    const [failure] = (await Promise.allSettled(written)).filter((end) => end.status === 'rejected')
    return failed(failure?.reason ?? error, terminal, acting)
  }
}

function programFor(terminal: Terminal, writeOut: (text: string) => void): Command {
  const contextOf: ContextOf = (command) => new Context(terminal, command.optsWithGlobals())
  const program = new Command('svc')
    .description('runs a language model and sells it by the token, with a ledger you can verify')
    .version(VERSION, '--version', 'print the version')
    .option('--data-dir <dir>', 'the data folder of the service (SVC_DATA_DIR, default ./data)')
    .addOption(
      new Option(
        '--url <url>',
        'a running server instead, with a token of its in SVC_OPERATOR_TOKEN',
      ).conflicts('dataDir'),
    )
    .option('--json', 'one JSON object on standard output')
    .option('--quiet', 'nothing on standard error but errors')
    .addOption(
      new Option('--color <when>', 'colours').choices(['auto', 'always', 'never']).default('auto'),
    )
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(add --help to see how it is used)')
    .exitOverride()
    .configureOutput({ writeOut, writeErr: terminal.err })
  for (const command of commands) add(program, command(contextOf))
  addWithRoles(program, startCommand())
  return program
}

/** Options behind the name of a role are that role's, and its help shows no others. */
function addWithRoles(program: Command, start: Command): void {
  add(program, start)
  start.enablePositionalOptions()
  for (const role of start.commands) role.configureHelp({ showGlobalOptions: false })
}

/** Commands that were made apart take on how the program ends and where it writes. */
function add(parent: Command, command: Command): void {
  parent.addCommand(command)
  inherit(parent, command)
}

function inherit(parent: Command, command: Command): void {
  command.copyInheritedSettings(parent)
  askForOptionsLast(command)
  for (const child of command.commands) inherit(command, child)
}

/** Commander would miss `--name` before it says that there is no option `--nmae`. */
function askForOptionsLast(command: Command): void {
  const needed = command.options.filter(({ mandatory }) => mandatory)
  for (const option of needed) option.makeOptionMandatory(false)
  command.hook('preAction', () => {
    const isMissing = (option: Option) => !command.getOptionValueSource(option.attributeName())
    const missing = needed.find(isMissing)
    if (missing !== undefined) {
      command.error(`error: required option '${missing.flags}' not specified`)
    }
  })
}

function failed(error: unknown, terminal: Terminal, acting: Command | undefined): number {
  // Commander has said what is wrong, or has shown the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE
  if (terminal.interrupted) return EXIT_INTERRUPTED
  // The reader has gone: nobody would see a message.
  if (terminal.stop.aborted) return EXIT_OK
  terminal.err(`svc: ${printable(messageFor(error, acting))}\n`)
  return exitCodeOf(error)
}

function messageFor(error: unknown, acting: Command | undefined): string {
  if (error instanceof ServiceError) return asTyped(error, acting)
  return messageOf(error)
}
