/**
 * Which family the model is of, and the renderer for its chat template. A template that looks like
 * one of a family with tools and then leaves tools out is served as the generic family, which says
 * in words what tools there are: a request with tools is never answered as if there were none.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '@svc/contracts/ports/time'
import type { ModelFacts, Vocabulary } from '../engines/engine.ts'
import type { Log } from '../process/log.ts'
import { firstLineOf, StartRefused } from '../process/start-refused.ts'
import { chooseFamily } from './families/choose-family.ts'
import type { Family } from './families/family.ts'
import { generic } from './families/generic.ts'
import {
  type PromptRenderer,
  promptRenderer,
  type RendererParts,
  toolsChangeThePrompt,
} from './template.ts'

const NONCE_BYTES = 12

export interface ServedFamily {
  readonly family: Family
  readonly renderer: PromptRenderer
}

/**
 * @param clock for templates that tell the model the date
 * @throws StartRefused when the model has no chat template that can be read
 */
export function serveFamily(
  facts: ModelFacts,
  vocabulary: Vocabulary,
  log: Log,
  clock: Clock,
): ServedFamily {
  const { chatTemplate, modelName } = facts
  if (chatTemplate === null) {
    throw new StartRefused(
      `the model "${modelName}" has no chat template, so it cannot be served as a chat model; ` +
        'take an "instruct" or "chat" version of it',
    )
  }
  const serve = (family: Family): ServedFamily => ({
    family,
    renderer: rendererOf({ chatTemplate, vocabulary, family }, clock),
  })
  const served = serve(chooseFamily(chatTemplate))
  if (toolsChangeThePrompt(served.renderer)) return served
  log('warn', "the model's chat template ignores tools, describing them in the prompt instead", {
    family: served.family.name,
  })
  return serve(generic(chatTemplate))
}

function rendererOf(
  parts: Pick<RendererParts, 'chatTemplate' | 'vocabulary' | 'family'>,
  clock: Clock,
): PromptRenderer {
  try {
    return promptRenderer({
      ...parts,
      nonce: () => randomBytes(NONCE_BYTES).toString('hex'),
      today: () => new Date(clock.nowMs()),
    })
  } catch (error) {
    throw new StartRefused(`the model's chat template cannot be read: ${firstLineOf(error)}`)
  }
}
