/** How tokens are drawn where a request does not say: the defaults of the formats themselves. */
import type { Sampling } from '@svc/contracts/worker/protocol'

/** No default of a runtime leaks in. */
const defaults: Sampling = {
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  seed: null,
  frequencyPenalty: 0,
  presencePenalty: 0,
  repetitionPenalty: 1,
}

type Given = { readonly [Name in keyof Sampling]?: Sampling[Name] | null | undefined }

/** What the request says, and the default for each that it leaves out or gives as null. */
export function samplingOf(given: Given): Sampling {
  const said = Object.entries(given).filter(([, value]) => value !== null && value !== undefined)
  return { ...defaults, ...Object.fromEntries(said) }
}
