/** For the double's own tests: a subscription of the raw client that keeps what came. */
import type {
  AllStreamSubscription,
  EventStoreDBClient,
  Position,
  SubscribeToAllOptions,
} from './raw-client.ts'

/** Reads on until it is stopped or fails, and keeps what came. */
export class Subscriber {
  readonly ids: string[] = []
  readonly streams: string[] = []
  readonly positions: Position[] = []
  readonly checkpoints: Position[] = []
  isConfirmed = false
  caughtUpCount = 0
  error: unknown
  readonly #subscription: AllStreamSubscription
  readonly #done: Promise<void>

  constructor(client: EventStoreDBClient, options: SubscribeToAllOptions, millisecondsEach = 0) {
    this.#subscription = client.subscribeToAll(options)
    this.#subscription.on('confirmation', () => {
      this.isConfirmed = true
    })
    this.#subscription.on('caughtUp', () => {
      this.caughtUpCount += 1
    })
    this.#done = this.#read(millisecondsEach)
  }

  async stop(): Promise<void> {
    await this.#subscription.unsubscribe()
    await this.#done
  }

  async #read(millisecondsEach: number): Promise<void> {
    try {
      for await (const { event } of this.#subscription) {
        if (event === undefined) continue
        this.ids.push(event.id)
        this.streams.push(event.streamId)
        if (event.position !== undefined) this.positions.push(event.position)
        if (millisecondsEach > 0) {
          await new Promise((resolve) => setTimeout(resolve, millisecondsEach))
        }
      }
    } catch (error) {
      this.error = error
    }
  }
}
