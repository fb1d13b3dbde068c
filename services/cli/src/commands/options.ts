/** Reads what several commands have in common on the command line. */
import type { Operations } from '@svc/contracts/admin/operations'
import { readMoment } from '@svc/contracts/zone'
import type { Command } from 'commander'
import type { Context } from '../context/context.ts'
import { CliError, EXIT_NOT_FOUND, EXIT_USAGE } from '../context/exit-codes.ts'

/** Gives a command its context, from the global options wherever they stood. */
export type ContextOf = (command: Command) => Context

export interface AccountOption {
  readonly account?: string
}

export interface OnceOption {
  readonly idempotencyKey?: string
}

export const IDEMPOTENCY_OPTION = [
  '--idempotency-key <key>',
  'what is asked for again with the same key is done once',
] as const

export function onceKey({ idempotencyKey }: OnceOption): { idempotency_key?: string } {
  return idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }
}

/** `--external-id` and `--metadata name=value`, as often as wanted. */
export interface NamingOptions extends OnceOption {
  readonly externalId?: string
  readonly metadata?: readonly string[]
}

export const EXTERNAL_ID_OPTION = [
  '--external-id <id>',
  'what it is in your own system: made once for it, whatever the idempotency key',
] as const
export const METADATA_OPTION = ['--metadata <pairs...>', 'name=value, to be found again'] as const

export function namingInput({ externalId, metadata = [], ...once }: NamingOptions) {
  return {
    external_id: externalId ?? null,
    metadata: pairsOf(metadata),
    ...onceKey(once),
  }
}

function pairsOf(texts: readonly string[]): Record<string, string> {
  const pairs = new Map<string, string>()
  for (const [name, value] of texts.map(pairOf)) {
    if (pairs.has(name)) throw new CliError(EXIT_USAGE, `--metadata: "${name}" is there twice`)
    pairs.set(name, value)
  }
  return Object.fromEntries(pairs)
}

function pairOf(text: string): readonly [string, string] {
  const equals = text.indexOf('=')
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)]
  throw new CliError(EXIT_USAGE, `--metadata: "${text}" is not a pair: write name=value`)
}

export const ACCOUNT_ARGUMENT = ['[account]', 'id of the account, acct_…'] as const
export const ACCOUNT_OPTION = ['--account <id>', 'the account, instead of the argument'] as const

/**
 * Gives a command the account that it is about, as its argument or by `--account`.
 *
 * @param act gets both: it may insist on a name, or take the only account that there is
 */
export function aboutAccount<Options extends AccountOption>(
  command: Command,
  contextOf: ContextOf,
  act: (context: Context, argument: string | undefined, options: Options) => Promise<void>,
): Command {
  return command
    .argument(...ACCOUNT_ARGUMENT)
    .option(...ACCOUNT_OPTION)
    .action((argument: string | undefined, options: Options, own: Command) =>
      act(contextOf(own), argument, options),
    )
}

/** The account that must be named: what is written goes nowhere by default. */
export function namedAccount(argument: string | undefined, options: AccountOption): string {
  const account = argument ?? options.account
  if (account === undefined) {
    throw new CliError(EXIT_USAGE, 'name the account: its id as an argument, or --account ID')
  }
  if (argument !== undefined && options.account !== undefined && argument !== options.account) {
    throw new CliError(EXIT_USAGE, 'the argument and --account name two different accounts')
  }
  return account
}

/** The named account; without a name, the only account that there is. */
export async function readAccount(
  operations: Operations,
  argument: string | undefined,
  options: AccountOption,
): Promise<string> {
  if (argument !== undefined || options.account !== undefined) {
    return namedAccount(argument, options)
  }
  const [only, second] = await operations.listAccounts({ limit: 2 })
  if (only === undefined) throw new CliError(EXIT_NOT_FOUND, 'there is no account yet')
  if (second === undefined) return only.account_id
  throw new CliError(EXIT_USAGE, 'there are several accounts: name one (see: svc account list)')
}

/** A date (midnight in UTC) or an RFC 3339 time with its zone, as RFC 3339 in UTC. */
export function moment(option: string, text: string): string {
  try {
    return new Date(readMoment(text)).toISOString()
  } catch (error) {
    throw new CliError(EXIT_USAGE, `${option}: ${error instanceof Error ? error.message : error}`)
  }
}

/** A position of the log as it is; a date or a time as {@link moment}. */
export function place(option: string, text: string): string {
  return /^(-1|\d{1,19})$/.test(text) ? text : moment(option, text)
}

export function optionalMoment(option: string, text: string | undefined): string | null {
  return text === undefined ? null : moment(option, text)
}

export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d{1,15}$/.test(text) || value < min || value > max) {
    throw new CliError(
      EXIT_USAGE,
      `${option}: "${text}" is not a whole number from ${min} to ${max}`,
    )
  }
  return value
}

/** Asks before what has large effects; without a person to ask, `--yes` must say it. */
export async function confirmed(
  { terminal }: Context,
  question: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes === true) return
  if (!terminal.canAsk) {
    throw new CliError(EXIT_USAGE, `${question} There is nobody to ask: say --yes`)
  }
  if (!(await terminal.confirm(question))) throw new CliError(EXIT_USAGE, 'nothing was changed')
}
