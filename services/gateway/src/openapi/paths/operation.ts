/** What the OpenAPI document says of one route that callers with a key have. */
import type { z } from 'zod'

export interface Operation {
  readonly method: 'get' | 'post' | 'delete'
  /** The path, with `{name}` for what varies. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly tag: 'Inference' | 'Models' | 'Billing' | 'Evidence'
  readonly family: 'openai' | 'anthropic'
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** A body that works. */
  readonly example?: object
  readonly answer: z.ZodType
  /** The media types that the answer can have; the default is JSON. */
  readonly media?: string | readonly string[]
  /** The shape of each event when `stream` is true in the body. */
  readonly streamEvent?: z.ZodType
  /** Whether the route is also served under `/pro`. */
  readonly pro?: true
}
