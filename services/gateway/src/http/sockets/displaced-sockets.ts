/**
 * Connections that made room for others. A flood whose connections are closed connects again within
 * milliseconds, and to accept one is the dearest thing that is done for it: thousands in a second
 * hold up everybody else's. So they stay open for a moment, unread, and take nobody's room, and
 * those of one burst are not closed in one burst.
 */
import type { Socket } from 'node:net'
import type { Clock, Timer } from '@svc/contracts/ports/time'

export interface DisplacedSocketsOptions {
  /** How long each stays open, twice as long at most; 0 closes it at once. */
  readonly ms: number
  /** How many are kept open at most; the next is closed at once. */
  readonly max: number
  readonly timer: Timer
  readonly clock: Clock
}

export class DisplacedSockets {
  readonly #options: DisplacedSocketsOptions
  readonly #sockets = new Set<Socket>()
  /** When the last of them is closed, in milliseconds since 1970. */
  #lastMs = 0

  constructor(options: DisplacedSocketsOptions) {
    this.#options = options
  }

  /** Takes what nobody counts any more. Nothing more is read of it. */
  add(socket: Socket): void {
    const { ms, max, timer, clock } = this.#options
    if (ms === 0 || this.#sockets.size >= max) {
      socket.destroy()
      return
    }
    this.#sockets.add(socket)
    socket.pause()
    const nowMs = clock.nowMs()
    // A clock that was put back must not keep them.
    this.#lastMs = Math.min(nowMs + 2 * ms, Math.max(nowMs + ms, this.#lastMs + ms / max))
    const cancel = timer.after(this.#lastMs - nowMs, () => socket.destroy())
    socket.once('close', () => {
      cancel()
      this.#sockets.delete(socket)
    })
  }
}
