/**
 * A defect that nobody caught, as an exception or a rejection: what this process believes can no
 * longer be trusted, so it ends as a crash does, and the next start finds the books as they were
 * written.
 *
 * The client of the EventStoreDB lets errors loose that nobody can catch and that say nothing about
 * our own state, such as when the nodes of a cluster are not found. They are logged, and end
 * nothing.
 */
import type { Logger } from 'pino'

const EXIT_DEFECT = 1

/**
 * @param isStray tells the errors that end nothing
 * @param whatNow ends the sentence that is logged
 */
export function endOnDefects(
  logger: Pick<Logger, 'error' | 'fatal'>,
  isStray: (error: unknown) => boolean,
  whatNow = 'the server ends at once; start it again',
): void {
  // Node raises a rejection that nobody handles as such an exception too.
  process.on('uncaughtException', (error) => {
    if (isStray(error)) {
      logger.error({ err: error }, 'the client of the EventStoreDB failed beside any call')
      return
    }
    logger.fatal({ err: error }, `a defect: ${whatNow}`)
    process.exit(EXIT_DEFECT)
  })
}
