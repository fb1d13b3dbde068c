/**
 * Grammars that llama.cpp has read. Reading one takes milliseconds, and the same tools come with
 * every turn of a conversation, so the last ones are kept, each at its beginning: a run is a copy.
 *
 * Tenants share none: how long a grammar takes would tell one of them what another has asked. And
 * each has a share of the room, so that none can push out what all others need.
 */
import { messageOf } from '@svc/contracts/error-message'
import { RecentlyUsed } from '@svc/infra/recently-used'
import { type LlamaContext, LlamaGrammar, LlamaGrammarEvaluationState } from 'node-llama-cpp'
import { BadGrammar, type GrammarStart, type GrammarState, type Vocabulary } from '../engine.ts'
import { feedGrammar } from './internals.ts'

const GRAMMARS_MAX = 64
/**
 * Characters of all kept grammars together. Once read, they take about thirty times as much memory.
 */
const GRAMMAR_CHARACTERS_MAX = 4 * 1024 * 1024
/** The part of both that one tenant may have. */
const TENANT_SHARE = 0.5
/** Between a tenant and the text of a grammar. No name of a tenant has it. */
const AFTER_TENANT = '\0'

class LlamaGrammarState implements GrammarState {
  readonly grammar: string
  readonly state: LlamaGrammarEvaluationState

  constructor(grammar: string, state: LlamaGrammarEvaluationState) {
    this.grammar = grammar
    this.state = state
  }
}

/** What the runtime knows of a run. */
export function nativeStateOf(run: GrammarState | null): LlamaGrammarEvaluationState | undefined {
  if (run === null) return undefined
  if (!(run instanceof LlamaGrammarState)) throw new Error('the grammar is of another engine')
  return run.state
}

export class LlamaGrammars {
  readonly #context: LlamaContext
  readonly #vocabulary: Vocabulary
  readonly #beginnings = new RecentlyUsed<string, LlamaGrammarEvaluationState>({
    entriesMax: GRAMMARS_MAX,
    weight: { max: GRAMMAR_CHARACTERS_MAX, of: (key) => key.length },
    share: { part: TENANT_SHARE, of: (key) => key.slice(0, key.indexOf(AFTER_TENANT)) },
  })

  constructor(context: LlamaContext, vocabulary: Vocabulary) {
    this.#context = context
    this.#vocabulary = vocabulary
  }

  /** See {@link Engine.startGrammar}. */
  start({ tenant, grammar, begun = '', drawn = [] }: GrammarStart): GrammarState | null {
    const state = this.#beginning(tenant, grammar).clone()
    const tokens = begun === '' ? [] : this.#vocabulary.tokenize(begun, true, true)
    const fits = feedGrammar(this.#context, state, [...tokens, ...drawn])
    return fits ? new LlamaGrammarState(grammar, state) : null
  }

  #beginning(tenant: string, text: string): LlamaGrammarEvaluationState {
    return this.#beginnings.getOrMake(`${tenant}${AFTER_TENANT}${text}`, () => {
      const { model } = this.#context
      try {
        const grammar = new LlamaGrammar(model.llama, { grammar: text })
        return new LlamaGrammarEvaluationState({ model, grammar })
      } catch (error) {
        throw new BadGrammar(messageOf(error))
      }
    })
  }
}
