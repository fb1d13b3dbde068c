import { WorkerRefusal } from '../protocol/refusal.ts'

/** A schema whose compilation was ended, because of the time or the memory that it took. */
export class CompileTimeout extends WorkerRefusal {
  constructor(reason: string) {
    super('unsupported_schema', `the schema: ${reason}`)
  }
}
