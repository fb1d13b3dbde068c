/** Buses with a fault that a relay has to survive, or that its check has to find. */
import { once } from 'node:events'
import { type Bus, BusRefusedError, type BusTopic } from '@svc/contracts/ports/bus'

/** The planted fault: it goes on to the next batch when one is not acknowledged at once. */
export function impatient(bus: Bus): Pick<Bus, 'open'> {
  return {
    async open(plan) {
      const topic = await bus.open(plan)
      const real = topic.deliver.bind(topic)
      const deliver: BusTopic['deliver'] = async (records, signal) => {
        const patience = new AbortController()
        const delivered = real(records, AbortSignal.any([signal, patience.signal]))
        if (topic.trouble !== null) patience.abort()
        await delivered.catch(() => {})
      }
      return Object.assign(topic, { deliver })
    },
  }
}

/** A bus that dies with `last` deliveries in the topic, of which the last is not acknowledged. */
export function mortal(
  bus: Bus,
  last: number,
): Pick<Bus, 'open'> & { readonly died: Promise<void> } {
  const { promise: died, resolve } = Promise.withResolvers<void>()
  let count = 0
  return {
    died,
    async open(plan) {
      const topic = await bus.open(plan)
      const real = topic.deliver.bind(topic)
      const deliver: BusTopic['deliver'] = async (records, signal) => {
        await real(records, signal)
        count += 1
        if (count < last) return
        resolve()
        await once(signal, 'abort')
        signal.throwIfAborted()
      }
      return Object.assign(topic, { deliver })
    },
  }
}

/** A bus that warns of its topic and takes nothing, as where the user may not write. */
export function refusing(bus: Bus, warning: string): Pick<Bus, 'open'> {
  return {
    async open(plan) {
      const topic = await bus.open(plan)
      const deliver = () => Promise.reject(new BusRefusedError('Kafka refuses'))
      return Object.assign(topic, { deliver, warnings: [warning] })
    },
  }
}
