/** Lets one delivery at a time into a topic, and none that is over its bounds. */
import { type BusRecord, checkDelivery } from '@svc/contracts/ports/bus'

export class DeliveryGate {
  #isDelivering = false

  get isDelivering(): boolean {
    return this.#isDelivering
  }

  /**
   * @param deliver not called when the delivery is refused
   * @throws {RangeError} for more than a delivery holds, or while another is under way
   */
  async pass(
    records: readonly BusRecord[],
    signal: AbortSignal,
    deliver: () => Promise<void>,
  ): Promise<void> {
    signal.throwIfAborted()
    checkDelivery(records)
    if (this.#isDelivering) throw new RangeError('another delivery is under way')
    this.#isDelivering = true
    try {
      await deliver()
    } finally {
      this.#isDelivering = false
    }
  }
}
