/** Who is behind the actor of an event. */
import type { UserDetails } from '@svc/contracts/admin/users'

export const USER = 'user:'

/**
 * @param actor such as `user:usr_…`, `operator:NAME` or `key_…`, as the log has it
 * @returns the name that the user goes by now; of an erased one, and of all others, the actor
 */
export function actorName(
  actor: string,
  users: readonly Pick<UserDetails, 'user_id' | 'display_name' | 'email'>[],
): string {
  if (!actor.startsWith(USER)) return actor
  const user = users.find(({ user_id: id }) => id === actor.slice(USER.length))
  return user?.display_name ?? user?.email ?? actor
}
