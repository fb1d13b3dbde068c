/** Writes off the credit of an account that is past its time. */
import type { AccountWriter } from './writer.ts'

/**
 * Writes off the credit in as many appends as it takes. What open holds need of it stays until they
 * have ended.
 *
 * @param actor who is said to have caused it
 * @throws {ServiceError} `not_found` when there is no such account
 */
export async function bookExpiredCredit(
  writer: Pick<AccountWriter, 'submit'>,
  actor: string,
): Promise<void> {
  const book = () =>
    writer.submit({
      command: (at) => ({ type: 'ExpireCredit', actor, at }),
      result: (events) => events.length,
    })
  while ((await book()) > 0) {
    // The next append goes on.
  }
}
