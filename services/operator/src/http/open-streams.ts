/**
 * Counts the answers by lines that a token has open. Each is a subscription, or a long question
 * that takes the time of the server: whoever holds one token gets few at once, so that others get
 * theirs.
 */
import type { ServerResponse } from 'node:http'
import type { Caller } from '@svc/contracts/admin/caller'
import { ServiceError } from '@svc/contracts/errors'

const OPEN_PER_TOKEN_MAX = 8
const RETRY_SECONDS = 1

export class OpenStreams {
  readonly #open = new Map<string, number>()

  /**
   * Counts an answer until its response is closed. The root is not bounded.
   *
   * @throws {ServiceError} `rate_limit_exceeded`
   */
  enter({ tokenId }: Caller, response: ServerResponse): void {
    if (tokenId === null) return
    const open = this.#open.get(tokenId) ?? 0
    if (open >= OPEN_PER_TOKEN_MAX) {
      const message = `At most ${OPEN_PER_TOKEN_MAX} answers by lines run at once for one admin token.`
      throw new ServiceError('rate_limit_exceeded', message, { retryAfterSeconds: RETRY_SECONDS })
    }
    this.#open.set(tokenId, open + 1)
    response.once('close', () => this.#leave(tokenId))
  }

  #leave(tokenId: string): void {
    const open = (this.#open.get(tokenId) ?? 0) - 1
    if (open > 0) this.#open.set(tokenId, open)
    else this.#open.delete(tokenId)
  }
}
