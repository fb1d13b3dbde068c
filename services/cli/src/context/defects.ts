/**
 * A defect that nobody caught, as an exception or a rejection: what this process believes can no
 * longer be trusted, so it ends as a crash does, and the next start finds the ledger as it was
 * written.
 *
 * The client of the EventStoreDB throws errors outside of any call. Nobody can catch them, and they
 * say nothing about our own state, such as that it found no node of a cluster. They are logged and
 * end nothing.
 */
import type { Logger } from 'pino'

const EXIT_DEFECT = 1

/**
 * @param isStray whether the process survives this error
 * @param message that is logged with a defect
 */
export function endOnDefects(
  logger: Pick<Logger, 'error' | 'fatal'>,
  isStray: (error: unknown) => boolean,
  message = 'a defect: the server ends at once; start it again',
): void {
  // Node raises a rejection that nobody handles as such an exception too.
  process.on('uncaughtException', (error) => {
    if (isStray(error)) {
      logger.error({ err: error }, 'unhandled error of the EventStoreDB client')
      return
    }
    logger.fatal({ err: error }, message)
    process.exit(EXIT_DEFECT)
  })
}
