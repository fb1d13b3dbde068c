import { describeRecordedAnswers } from '../recorded-answers.suite.ts'
import { MemoryRecordedAnswers } from './memory-recorded-answers.ts'

describeRecordedAnswers('memory', (maxTotalBytes) => new MemoryRecordedAnswers(maxTotalBytes))
