/** Names the person or the program behind the actor of an event. */
import type { UserDetails } from '@svc/contracts/admin/users'
import { userOfActor } from '@svc/contracts/events/actors'

/**
 * @param actor such as `user:usr_…`, `operator:NAME` or `key_…`, as the log has it
 * @returns the name that the user goes by now; of an erased one, and of all others, the actor
 */
export function actorName(
  actor: string,
  users: readonly Pick<UserDetails, 'user_id' | 'display_name' | 'email'>[],
): string {
  const userId = userOfActor(actor)
  const user = users.find(({ user_id: id }) => id === userId)
  return user?.display_name ?? user?.email ?? actor
}
