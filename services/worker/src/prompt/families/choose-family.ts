/** Finds out which family a model is of, by the syntax that its chat template shows. */
import { deepseek } from './deepseek.ts'
import type { Family } from './family.ts'
import { generic } from './generic.ts'
import { harmony } from './harmony.ts'
import { hermes } from './hermes.ts'
import { llama } from './llama.ts'
import { mistral } from './mistral.ts'

const GENERIC = 'generic'

/** @param chatTemplate as the model's file has it */
export function chooseFamily(chatTemplate: string): Family {
  const has = (...texts: readonly string[]) => texts.every((text) => chatTemplate.includes(text))
  if (has('<|channel|>', '<|message|>', 'functions.')) return harmony()
  // Every family below is recognised by the calls that its template writes for earlier turns.
  if (!has('tool_calls')) return generic(chatTemplate)
  if (has('<｜tool▁calls▁begin｜>', '<｜tool▁sep｜>')) return deepseek(chatTemplate)
  if (has('[TOOL_CALLS]', '[INST]')) return mistral(chatTemplate)
  // Parameters in tags of their own need the tools' schemas to be read; these models know JSON too.
  if (has('<function=') || has('<arg_key>')) return generic(chatTemplate)
  if (has('<tool_call>', '"arguments"') || has('<tool_call>', "'arguments'")) {
    return hermes(chatTemplate)
  }
  if (has('<|start_header_id|>', '"parameters"')) return llama(chatTemplate)
  return generic(chatTemplate)
}

/** The family of this name for a template, which may be the generic one for any template. */
export function familyOf(name: string, chatTemplate: string): Family {
  return name === GENERIC ? generic(chatTemplate) : chooseFamily(chatTemplate)
}
