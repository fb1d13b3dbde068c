import { describeExpiringStore } from '../expiring-store.suite.ts'
import { MemoryExpiringStore } from './memory-expiring-store.ts'

describeExpiringStore('memory', (bounds) => new MemoryExpiringStore(bounds))
