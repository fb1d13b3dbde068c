/**
 * Steers an answer where its plan leaves the model no choice: when a grammar begins to hold, and
 * which texts are put into the model's mouth.
 *
 *     thinking ──budget used up, or an end that must not be──▶ its close is forced ──▶ answer
 *     thinking ──the model closes it──▶ the rest of the close is forced ─────────────▶ answer
 *     a grammar from the answer on:   holds as soon as the model is not thinking
 *     a grammar from the call on:     holds as soon as a call is read, to the end of the answer
 *
 * A model that may think and whose answer has to follow a grammar is made to open its thinking:
 * left to itself it could begin with an answer that the grammar does not know. Forced tokens count
 * as output like drawn ones: the model computes them all the same.
 */
import type { AnswerPlan, Thinking } from '@svc/contracts/worker/protocol'
import type { Engine, GrammarState } from '../engines/engine.ts'
import type { AnswerText } from '../prompt/answer-text.ts'
import type { ThinkingMarkers } from '../prompt/reading/answer-reader.ts'
import { TokenText } from '../prompt/utf8.ts'
import { type GrammarBans, unfinishedCharacter } from './grammar-bans.ts'

/** Characters of the answer's end that are remembered: more than any text around thinking. */
const TAIL_CHARACTERS_MAX = 1024

/** What the reader of the answer makes of it so far. */
export type AnswerProgress = Pick<AnswerText, 'phase' | 'callText' | 'reasoningTokens'>

export interface SteeringParts {
  readonly engine: Engine
  /** Whose answer it is. */
  readonly tenant: string
  readonly plan: AnswerPlan
  readonly thinking: Thinking
  /** The texts around the model's thinking; a model that does not think writes none of them. */
  readonly markers: ThinkingMarkers
  readonly answer: AnswerProgress
  readonly bans: GrammarBans
}

export class Steering {
  readonly #parts: SteeringParts
  readonly #characters: TokenText
  readonly #budgetTokens: number
  #grammar: GrammarState | null = null
  /** What was there of the answer when the grammar began, and what was taken under it. */
  #begun = ''
  readonly #bound: number[] = []
  /** Bytes of the character that was begun under the grammar. */
  #unfinished: readonly number[] = []
  /** Tokens to be forced next. */
  #due: readonly number[] = []
  /** How many tokens that were given out as forced are still to be taken. */
  #forcedLeft = 0
  #closeForced = false
  /** Whether the answer is still to begin after thinking. */
  #thought: boolean
  #inCall = false
  #tail = ''

  /** @throws BadGrammar when the plan's grammar cannot be read */
  constructor(parts: SteeringParts) {
    this.#parts = parts
    this.#characters = new TokenText(parts.engine.vocabulary, null)
    this.#thought = parts.answer.phase === 'reasoning'
    const { enabled, budgetTokens } = parts.thinking
    this.#budgetTokens = enabled ? (budgetTokens ?? Number.POSITIVE_INFINITY) : 0
    if (!this.#holdsFromAnswer || this.#thought) return
    const open = this.#budgetTokens > 0 ? parts.markers.open : undefined
    if (open === undefined) this.#start('')
    else this.#due = this.#tokens(open)
  }

  /** What the next draw has to follow. */
  get grammar(): GrammarState | null {
    return this.#grammar
  }

  /** What it must not be. */
  get banned(): readonly number[] {
    return this.#parts.bans.after(this.#unfinished)
  }

  /**
   * @param ends whether the model wants to end the answer
   * @returns tokens that take the place of what the model drew; none, when it may choose
   */
  due(ends: boolean): readonly number[] {
    if (this.#due.length === 0 && this.#mustStopThinking(ends)) {
      this.#closeForced = true
      this.#due = this.#tokens(this.#closeText)
    }
    const due = this.#due
    this.#due = []
    this.#forcedLeft = due.length
    return due
  }

  /** A token was taken into the answer, and the answer's reader has seen it. */
  took(token: number): void {
    this.#forcedLeft = Math.max(0, this.#forcedLeft - 1)
    if (this.#grammar !== null) {
      const bytes = this.#parts.engine.vocabulary.bytes(token) ?? []
      this.#unfinished = unfinishedCharacter([...this.#unfinished, ...bytes])
      this.#bound.push(token)
      return
    }
    if (this.#parts.plan.grammar === null) return
    if (this.#holdsFromAnswer) {
      this.#tail = (this.#tail + this.#characters.push(token)).slice(-TAIL_CHARACTERS_MAX)
      this.#startWithAnswer()
    } else {
      this.#startWithCall()
    }
  }

  /**
   * The runtime failed and the answer goes on where it was. A draw that failed may have left the
   * grammar in a state that ends the process when it is used again, so it is made anew.
   *
   * @throws Error when the answer does not follow the grammar
   */
  resume(): void {
    if (this.#grammar === null) return
    const { engine, tenant } = this.#parts
    const [{ grammar }, begun, drawn] = [this.#grammar, this.#begun, this.#bound]
    this.#grammar = engine.startGrammar({ tenant, grammar, begun, drawn })
    if (this.#grammar === null) throw new Error('the answer left its grammar')
  }

  get #holdsFromAnswer(): boolean {
    const { grammar, grammarFrom } = this.#parts.plan
    return grammar !== null && grammarFrom === 'answer'
  }

  #mustStopThinking(ends: boolean): boolean {
    const { answer } = this.#parts
    if (answer.phase !== 'reasoning' || this.#closeForced) return false
    return answer.reasoningTokens >= this.#budgetTokens || (ends && this.#holdsFromAnswer)
  }

  /** The answer's beginning is the model's choice where calls or a grammar may follow. */
  get #closeText(): string {
    const { markers, plan } = this.#parts
    const isText = plan.callable.length === 0 && plan.grammar === null
    return isText ? markers.close + markers.answer : markers.close
  }

  #startWithAnswer(): void {
    if (this.#forcedLeft > 0) return
    if (this.#parts.answer.phase === 'reasoning') {
      this.#thought = true
      return
    }
    const close = this.#parts.markers.close.trimStart()
    if (this.#thought) {
      this.#thought = false
      this.#due = this.#tokens(restOf(close, this.#tail))
      if (this.#due.length > 0) return
    }
    this.#start(textAfter(close.trimEnd(), this.#tail).trimStart())
    if (this.#grammar === null) throw new Error('the answer began against its grammar')
  }

  /** A call that began against the grammar is left to the reader, which takes it for text. */
  #startWithCall(): void {
    const { phase, callText } = this.#parts.answer
    const begins = phase === 'call' && !this.#inCall
    this.#inCall = phase === 'call'
    if (begins) this.#start(callText)
  }

  #start(begun: string): void {
    const { engine, tenant, plan } = this.#parts
    if (plan.grammar === null) return
    this.#grammar = engine.startGrammar({ tenant, grammar: plan.grammar, begun })
    this.#begun = begun
  }

  #tokens(text: string): number[] {
    return text === '' ? [] : this.#parts.engine.vocabulary.tokenize(text, true, true)
  }
}

/** What is missing of a text that the tail ends with the beginning of. */
function restOf(text: string, tail: string): string {
  for (let length = text.length; length > 0; length -= 1) {
    if (tail.endsWith(text.slice(0, length))) return text.slice(length)
  }
  return ''
}

/** What comes after the last occurrence, or nothing when there is none. */
function textAfter(text: string, tail: string): string {
  const start = text === '' ? -1 : tail.lastIndexOf(text)
  return start === -1 ? '' : tail.slice(start + text.length)
}
