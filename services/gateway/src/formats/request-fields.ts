/** The fields that every format has: model, thinking level, sampling, metadata. */
import { ServiceError } from '@svc/contracts/errors'
import type { JsonObject } from '@svc/contracts/strict-json'
import { MODEL, resolveModel } from '@svc/contracts/wire/models'
import type { Sampling, Thinking } from '@svc/contracts/worker/protocol'
import { z } from 'zod'

const SHOWN_CHARACTERS = 64
const METADATA_PAIRS_MAX = 16

/**
 * Refuses another model, also one that is no text. To be called before anything else in a body is
 * looked at: a caller who means another service's model learns that first. A model that is missing
 * is left to the schema of the format.
 *
 * @throws {ServiceError} `model_not_found`
 */
export function refuseOtherModel({ model }: JsonObject): void {
  if (model === undefined) return
  if (typeof model === 'string' && resolveModel(model) !== undefined) return
  throw new ServiceError('model_not_found', noSuchModel(model), { param: 'model' })
}

function noSuchModel(model: unknown): string {
  const callable = `The callable model is "${MODEL}".`
  if (typeof model !== 'string') return `The model must be text. ${callable}`
  return `The model ${JSON.stringify(model.slice(0, SHOWN_CHARACTERS))} does not exist. ${callable}`
}

export const thinkingLevels = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
type ThinkingLevel = (typeof thinkingLevels)[number]

export const noThinking: Thinking = { enabled: false, effort: 'low', budgetTokens: 0 }

/** Budgets in tokens; `max` has none. */
const levels: Readonly<Record<ThinkingLevel, Thinking>> = {
  none: noThinking,
  minimal: noThinking,
  low: { enabled: true, effort: 'low', budgetTokens: 1_024 },
  medium: { enabled: true, effort: 'medium', budgetTokens: 4_096 },
  high: { enabled: true, effort: 'high', budgetTokens: 16_384 },
  xhigh: { enabled: true, effort: 'high', budgetTokens: 32_768 },
  max: { enabled: true, effort: 'high', budgetTokens: null },
}

/** Reads the level of thinking, which is off unless it is asked for. */
export function thinkingAt(level: ThinkingLevel | null | undefined): Thinking {
  return levels[level ?? 'none']
}

/** The defaults of the formats themselves: no default of a runtime leaks in. */
const samplingDefaults: Sampling = {
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  seed: null,
  frequencyPenalty: 0,
  presencePenalty: 0,
  repetitionPenalty: 1,
}

type GivenSampling = { readonly [Name in keyof Sampling]?: Sampling[Name] | null | undefined }

/**
 * Takes what the request says, and the default for each field that it leaves out or gives as null.
 */
export function samplingOf(given: GivenSampling): Sampling {
  const said = Object.entries(given).filter(([, value]) => value !== null && value !== undefined)
  return { ...samplingDefaults, ...Object.fromEntries(said) }
}

/** Pairs that a caller sends along: echoed, never looked at. */
export const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= METADATA_PAIRS_MAX, {
    error: `holds more than ${METADATA_PAIRS_MAX} pairs`,
  })
