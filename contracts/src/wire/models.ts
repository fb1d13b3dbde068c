/** The one callable model, its deprecated names, and `GET /v1/models`. */
import { z } from 'zod'

export const MODEL = 'svc-beta'
export const MODEL_ALIASES = ['svc-pro', 'svc-4'] as const

/** The model that a name means, or `undefined`: then the answer is 400 `model_not_found`. */
export function resolveModel(name: string): typeof MODEL | undefined {
  return name === MODEL || (MODEL_ALIASES as readonly string[]).includes(name) ? MODEL : undefined
}

export const model = z.object({
  id: z.string(),
  object: z.literal('model'),
  /** Seconds since 1970. */
  created: z.int(),
  owned_by: z.string(),
})

export const modelList = z.object({ object: z.literal('list'), data: z.array(model) })
export type ModelList = z.output<typeof modelList>
