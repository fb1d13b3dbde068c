/** The user that a command is about, by id or by e-mail address. */
import type { Operations } from '@svc/contracts/admin/operations'
import { CliError, EXIT_NOT_FOUND } from '../../context/exit-codes.ts'

export const USER_ARGUMENT = ['<user>', 'id of the user, usr_…, or the e-mail address'] as const

/**
 * No two users have the same address.
 *
 * @throws {CliError} when there is no user of that address
 */
export async function userIdOf(operations: Operations, named: string): Promise<string> {
  if (!named.includes('@')) return named
  const users = await operations.listUsers()
  const email = named.toLowerCase()
  const user = users.find((each) => each.email?.toLowerCase() === email)
  if (user !== undefined) return user.user_id
  throw new CliError(EXIT_NOT_FOUND, `no user has the e-mail address ${named}: see svc user list`)
}
