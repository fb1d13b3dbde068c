import { describeEventStore } from '../compliance.suite.ts'
import { MemoryEventStore, MemoryLog } from './memory-event-store.ts'

describeEventStore('memory', async () => {
  const log = new MemoryLog()
  return {
    async open() {
      return new MemoryEventStore(log)
    },
    async tamper(stream, revision) {
      const event = log.streams.get(stream)?.[revision]
      if (event !== undefined) Object.assign(event, { data: '{"amount":"0"}' })
    },
    async remove() {},
  }
})
