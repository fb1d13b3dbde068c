/**
 * What model families disagree about: how a conversation with tools is put to the template, and
 * what thinking and tool calls look like in an answer. One file per family stands beside this one;
 * `choose-family.ts` finds the one for a model.
 */
import type { PromptMessage, Thinking, ToolDefinition } from '@svc/contracts/worker/protocol'
import type { GrammarRules } from '../../grammar/grammar.ts'
import type { Slots } from '../conversation/slots.ts'
import type { TemplateMessage } from '../conversation/template-messages.ts'

/** What a prompt is made of. */
export interface Conversation {
  /** At most one system message, and that one first. */
  readonly messages: readonly PromptMessage[]
  /** Empty when there are none. */
  readonly tools: readonly ToolDefinition[]
  readonly thinking: Pick<Thinking, 'enabled' | 'effort'>
}

/** What a chat template is given. No text of a client is in it, only placeholders. */
export interface TemplateInput {
  readonly messages: readonly TemplateMessage[]
  /** Null when the template is not to hear of tools. */
  readonly tools: readonly unknown[] | null
}

/** A tool that may be called, for a grammar. */
export interface GrammarTool {
  readonly name: string
  /** Name of a rule for the JSON object of its arguments. */
  readonly argumentsRule: string
}

export interface Family {
  readonly name: string
  /**
   * Texts of control tokens that carry syntax and are read as text. Other control tokens in an
   * answer are left out.
   */
  readonly controlMarkers: readonly string[]
  toTemplate(conversation: Conversation, slots: Slots): TemplateInput
  /** What goes after the rendering, as the template's own text, so that the model does not think. */
  readonly withoutThinking: string
  /** Beginnings of a tool call in the answer's text. */
  readonly callOpenings: readonly string[]
  /**
   * @param tools at least one
   * @returns GBNF for one or, when `parallel`, several calls, from the first one's opening on
   */
  callGrammar(
    rules: GrammarRules,
    tools: readonly GrammarTool[],
    options: { readonly parallel: boolean },
  ): string
  /** GBNF for what stands before an answer that is no call; empty text for most. */
  readonly answerPrefixGrammar: string
  answerReader(options: ReaderOptions): AnswerReader
  /** Whether thinking has begun at the end of this prompt. */
  opensThinking(promptTail: string): boolean
  /** Texts around thinking. Models that do not think write none of them. */
  readonly thinking: ThinkingMarkers
}

export interface ThinkingMarkers {
  readonly open: string
  /** Ends the thinking; injected when a budget is used up. */
  readonly close: string
  /** Begins the answer after `close`; injected too unless a grammar or a call is to follow. */
  readonly answer: string
}

export interface ReaderOptions {
  /** Tools whose calls are taken out of the text. None: what looks like a call is text. */
  readonly callable: readonly string[]
  /** Whether the prompt ended in open thinking. */
  readonly inReasoning: boolean
}

export interface TextPiece {
  readonly kind: 'text' | 'reasoning' | 'arguments'
  readonly text: string
  /** Where the piece begins in what the reader was fed, in UTF-16 units. */
  readonly from: number
}

/** A piece of an answer. `arguments` go on the last call. */
export type Piece = TextPiece | { readonly kind: 'call'; readonly name: string }

/** `undecided`: what was read so far may become thinking, and is held back. */
export type ReadingPhase = 'undecided' | 'reasoning' | 'answer' | 'call'

/**
 * Reads thinking and calls out of an answer's text. What comes out does not depend on how the text
 * was cut into pieces. It never throws, and what it holds back is bounded.
 */
export interface AnswerReader {
  readonly phase: ReadingPhase
  /** In a call: the text from its opening on, as it was fed. Empty otherwise. */
  readonly callText: string
  push(text: string): Piece[]
  /** The answer has ended: what was held back is given out as what it seemed to be. */
  end(): Piece[]
}
