import { describeStoredResponses } from '../stored-responses.suite.ts'
import { MemoryStoredResponses } from './memory-stored-responses.ts'

describeStoredResponses('memory', (bounds) => new MemoryStoredResponses(bounds))
