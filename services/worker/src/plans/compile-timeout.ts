import { SchedulerRefusal } from '../protocol/refusal.ts'

/** A schema whose compilation was ended, because of the time or the memory that it took. */
export class CompileTimeout extends SchedulerRefusal {
  constructor(reason: string) {
    super('unsupported_schema', `the schema: ${reason}`)
  }
}
