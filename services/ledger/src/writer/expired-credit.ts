/** Writes off an account's expired credit. */
import type { AccountWriter } from './writer.ts'

/**
 * Writes it off in as many appends as it takes. What open holds need of it stays until they have
 * ended.
 *
 * @param actor who is said to have caused it
 * @throws {ServiceError} `not_found` when there is no such account
 */
export async function writeOffExpiredCredit(
  writer: Pick<AccountWriter, 'submit'>,
  actor: string,
): Promise<void> {
  const writeOffSome = () =>
    writer.submit({
      command: (at) => ({ type: 'ExpireCredit', actor, at }),
      result: (events) => events.length,
    })
  while ((await writeOffSome()) > 0) {
    // The next append goes on.
  }
}
