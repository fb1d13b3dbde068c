import { describeBus } from '../bus.suite.ts'
import { MemoryBus, MemoryCluster } from './memory-bus.ts'

const cluster = new MemoryCluster()
describeBus('memory', () => new MemoryBus(cluster))
