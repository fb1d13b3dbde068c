/**
 * Refusals name fields of the operator's API. Who typed a command is told the option or the
 * argument in their place.
 */
import type { ServiceError } from '@svc/contracts/errors'
import type { Command } from 'commander'

/**
 * The names that commands have for fields of another name; arguments are written in capitals, as in
 * pages.
 */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  account_id: ['ACCOUNT', '--account'],
  account_role: ['--as'],
  effective_from: ['--from'],
  expires_at: ['--expires'],
  expiresAt: ['--expires'],
  grant_id: ['GRANT'],
  invitation_id: ['LINK'],
  key_id: ['KEY', '--key'],
  platform_role: ['--role'],
  price_list: ['--list', 'LIST'],
  reference: ['--ref'],
  request_id: ['REQUEST'],
  spend_policy: ['--policy', 'POLICY'],
  subject: ['ID'],
  text: ['--search'],
  to: ['--to', '--as-of'],
  token_id: ['TOKEN'],
  user_id: ['USER'],
  version: ['PRICE'],
  worker_id: ['WORKER', '--id'],
  zone: ['--tz'],
}
/** Fields of several words stand out in a sentence; others are words of it. */
const FIELD = /\b[a-z]+(?:_[a-z]+)+\b/g

/** The server says how a token is sent, which `svc` does by itself. */
const REFUSED_TOKEN =
  'the server refuses the token in SVC_OPERATOR_TOKEN: it is wrong, expired or revoked'

/** Which command lists what a field names, for who named what is not there. */
const lists: Readonly<Record<string, string>> = {
  account_id: 'svc account list',
  grant_id: 'svc grant list ACCOUNT',
  invitation_id: 'svc user links',
  key_id: 'svc key list ACCOUNT',
  token_id: 'svc admin-token list',
  user_id: 'svc user list',
  version: 'svc price list',
}

/** @param command that was acting; undefined when none was yet */
export function asTyped(
  { code, message, param }: ServiceError,
  command: Command | undefined,
): string {
  if (code === 'invalid_api_key') return REFUSED_TOKEN
  const told = inTypedNames({ code, message, param }, command)
  return code === 'not_found' ? told + seeOf(param) : told
}

function seeOf(param: string | null): string {
  const list = param === null ? undefined : lists[param]
  return list === undefined ? '' : ` See: ${list}`
}

function inTypedNames(
  { code, message, param }: Pick<ServiceError, 'code' | 'message' | 'param'>,
  command: Command | undefined,
): string {
  if (command === undefined || param === null) return message
  const name = typedName(command, param.split('.')[0] ?? param)
  const prefix = `${param}: `
  const isNamed = message.startsWith(prefix)
  const said = isNamed ? message.slice(prefix.length) : message
  const told = said.replace(FIELD, (field) => typedName(command, field) ?? field)
  // The sentence itself has named what is not there.
  if (name !== undefined && (isNamed || code !== 'not_found')) return `${name}: ${told}`
  return isNamed ? prefix + told : told
}

function typedName(command: Command, field: string): string | undefined {
  const words = field.replaceAll('_', '-')
  const names = [...(otherNames[field] ?? []), `--${words}`, words.toUpperCase()]
  const options = command.options.map(({ long }) => long)
  const args = command.registeredArguments.map((argument) => argument.name().toUpperCase())
  return names.find((name) => options.includes(name) || args.includes(name))
}
