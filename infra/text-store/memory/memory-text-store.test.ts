import { describeTextStore } from '../text-store.suite.ts'
import { MemoryTextStore } from './memory-text-store.ts'

describeTextStore('memory', async () => {
  const store = new MemoryTextStore()
  return { open: async () => store }
})
