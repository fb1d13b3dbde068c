/**
 * What model families disagree about: how a conversation with tools is put to the template, and
 * what thinking and tool calls look like in an answer. One file per family stands beside this one;
 * `choose-family.ts` finds the one for a model. The readers of answers are in `../reading`.
 */
import type { PromptMessage, Thinking, ToolDefinition } from '@svc/contracts/worker/protocol'
import type { GrammarRules } from '../../grammar/grammar.ts'
import type { Slots } from '../conversation/slots.ts'
import type { TemplateMessage } from '../conversation/template-messages.ts'
import type { AnswerReader, ReaderOptions, ThinkingMarkers } from '../reading/answer-reader.ts'

/** What a prompt is made of. */
export interface Conversation {
  /** The messages, with at most one system message, which comes first. */
  readonly messages: readonly PromptMessage[]
  /** Empty when there are none. */
  readonly tools: readonly ToolDefinition[]
  readonly thinking: Pick<Thinking, 'enabled' | 'effort'>
}

/** What a chat template is given. No text of a client is in it, only placeholders. */
export interface TemplateInput {
  readonly messages: readonly TemplateMessage[]
  /** Null when the template is given no tools. */
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
  /**
   * What goes after the rendering, as the template's own text, so that the model does not think.
   */
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
