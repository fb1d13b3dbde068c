import { MemoryRateLimits } from './memory-rate-limits.ts'
import { describeRateLimits } from './rate-limits.suite.ts'

describeRateLimits('memory', async () => new MemoryRateLimits())
