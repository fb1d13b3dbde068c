/** The one callable model, its deprecated names, and `GET /v1/models`. */
import { z } from 'zod'
import { modelPrices } from './prices.ts'

export const MODEL = 'svc-beta'
export const MODEL_ALIASES = ['svc-pro', 'svc-4'] as const

/** Every name that a request may call the model by. */
export const modelName = z.enum([MODEL, ...MODEL_ALIASES])

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
  ...modelPrices,
})

export const modelList = z.object({ object: z.literal('list'), data: z.array(model) })
export type ModelList = z.output<typeof modelList>

/**
 * A model as Codex reads it from the `models` of the list: without it, Codex guesses the size of
 * the context and says so on every start.
 */
const codexModel = z.strictObject({
  slug: z.string(),
  display_name: z.string(),
  description: z.string().nullable(),
  supported_reasoning_levels: z.array(
    z.strictObject({ effort: z.string(), description: z.string() }),
  ),
  shell_type: z.literal('shell_command'),
  visibility: z.literal('list'),
  supported_in_api: z.literal(true),
  priority: z.int(),
  upgrade: z.null(),
  base_instructions: z.string(),
  supports_reasoning_summaries: z.literal(true),
  support_verbosity: z.literal(false),
  default_verbosity: z.null(),
  apply_patch_tool_type: z.null(),
  truncation_policy: z.strictObject({ mode: z.literal('tokens'), limit: z.int() }),
  supports_parallel_tool_calls: z.literal(true),
  /** Tokens of prompt and answer together; absent while no worker has answered. */
  context_window: z.int().optional(),
  experimental_supported_tools: z.array(z.never()),
  input_modalities: z.array(z.literal('text')),
})
export type CodexModel = z.output<typeof codexModel>

export const codexModelList = modelList.extend({ models: z.array(codexModel) })
