/** How large a schema may be. Each can be set; the defaults are measured to be harmless. */
import { REQUEST_STEPS_MAX } from '../gbnf/work.ts'

export interface SchemaLimits {
  /** Bytes of one schema as JSON: of an output format, or of one tool's parameters. */
  readonly bytesMax: number
  /** What one value may be, one alternative after the other. */
  readonly alternativesMax: number
  /** Steps that all schemas of a request may cost together. */
  readonly stepsMax: number
  /** Ways in which a text may be read at once: what the runtime follows for every token. */
  readonly stacksMax: number
}

export const defaultSchemaLimits: SchemaLimits = {
  bytesMax: 64 * 1024,
  alternativesMax: 512,
  stepsMax: REQUEST_STEPS_MAX,
  stacksMax: 256,
}
