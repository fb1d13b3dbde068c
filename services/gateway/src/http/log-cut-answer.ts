/** Tells of answers whose head was sent, and that could not be finished. */
import { type FastifyRequest, LogController } from 'fastify'

const CLIENT_LEFT = 'ERR_STREAM_PREMATURE_CLOSE'

/**
 * The client sees that the answer is incomplete, as its connection is cut, and is told nothing of
 * the cause: the log is.
 */
export function logCutAnswer({ log, id }: FastifyRequest, cause: unknown): void {
  log.error({ requestId: id, err: cause }, 'failed to finish an answer, cutting it off')
}

/**
 * The framework's own lines are left out, but for the streams that failed and not their clients.
 */
export class CutAnswerLog extends LogController {
  constructor() {
    super({ disableRequestLogging: true })
  }

  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    if (error.code !== CLIENT_LEFT) logCutAnswer(request, error)
  }
}
