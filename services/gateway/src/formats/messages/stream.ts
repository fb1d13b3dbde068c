/**
 * A streamed answer as Messages events.
 *
 *     message_start → (content_block_start → content_block_delta* → content_block_stop)* →
 *     message_delta → message_stop
 *
 * Blocks are numbered without a gap and do not interleave: a part of another kind, or another call,
 * closes the block that is open.
 */
import type { ServiceError } from '@svc/contracts/errors'
import { anthropicError } from '../anthropic-error.ts'
import { namedEvent } from '../event-stream.ts'
import type { AnswerEnding, AnswerHeading, AnswerPart, AnswerStream } from '../inference-request.ts'
import type { ParsedMessages } from './parse.ts'
import {
  billedUsage,
  messageHeading,
  openingUsage,
  stopReason,
  thinkingSignature,
  toolUseBlock,
} from './render.ts'

const PING = namedEvent('ping', { type: 'ping' })

type BlockKind = 'text' | 'reasoning' | 'tool_use'

export class MessagesStream implements AnswerStream {
  readonly #parsed: ParsedMessages
  readonly #heading: AnswerHeading
  #blocks = 0
  #open: BlockKind | undefined
  /** Whether the open call has sent any arguments. */
  #hasArguments = false

  constructor(parsed: ParsedMessages, heading: AnswerHeading) {
    this.#parsed = parsed
    this.#heading = heading
  }

  opening(): string {
    const message = {
      ...messageHeading(this.#heading),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: openingUsage(this.#heading.promptTokens),
    }
    return namedEvent('message_start', { type: 'message_start', message }) + PING
  }

  keepAlive(): string {
    return PING
  }

  parts(parts: readonly AnswerPart[]): string {
    let events = ''
    for (const part of parts) events += this.#part(part)
    return events
  }

  ending(ending: AnswerEnding): string {
    const nothingSaid = this.#blocks === 0 ? this.#openBlock('text', textStart) : ''
    const delta = {
      stop_reason: stopReason(ending),
      stop_sequence: ending.stopText,
      stop_details: null,
      container: null,
    }
    const last = { type: 'message_delta', delta, usage: billedUsage(ending) }
    return (
      nothingSaid +
      this.#closeBlock() +
      namedEvent('message_delta', last) +
      namedEvent('message_stop', { type: 'message_stop' })
    )
  }

  failure(error: ServiceError): string {
    return namedEvent('error', anthropicError(error, this.#heading.requestId))
  }

  #part(part: AnswerPart): string {
    switch (part.kind) {
      case 'tool_call': {
        const { index, name } = part
        const before = this.#closeBlock()
        this.#hasArguments = false
        return before + this.#openBlock('tool_use', toolUseBlock(this.#heading, index, name, {}))
      }
      case 'arguments':
        this.#hasArguments ||= part.text !== ''
        return this.#delta({ type: 'input_json_delta', partial_json: part.text })
      case 'text':
        if (part.text === '') return ''
        return this.#continued('text', textStart) + this.#textDelta(part.text)
      case 'reasoning':
        if (part.text === '') return ''
        return this.#continued('reasoning', thinkingStart) + this.#thinkingDelta(part.text)
    }
  }

  #textDelta(text: string): string {
    return this.#delta({ type: 'text_delta', text })
  }

  #thinkingDelta(thinking: string): string {
    if (this.#parsed.hidesThinking) return ''
    return this.#delta({ type: 'thinking_delta', thinking })
  }

  /** Goes on with the block that is open when it is of the kind, else opens one. */
  #continued(kind: BlockKind, start: object): string {
    return this.#open === kind ? '' : this.#closeBlock() + this.#openBlock(kind, start)
  }

  #openBlock(kind: BlockKind, block: object): string {
    this.#open = kind
    const index = this.#blocks
    this.#blocks += 1
    return namedEvent('content_block_start', {
      type: 'content_block_start',
      index,
      content_block: block,
    })
  }

  #closeBlock(): string {
    if (this.#open === undefined) return ''
    const last = this.#lastDelta(this.#open)
    this.#open = undefined
    const index = this.#blocks - 1
    return last + namedEvent('content_block_stop', { type: 'content_block_stop', index })
  }

  #lastDelta(kind: BlockKind): string {
    if (kind === 'reasoning') {
      const signature = thinkingSignature(this.#heading)
      return this.#delta({ type: 'signature_delta', signature })
    }
    if (kind === 'tool_use' && !this.#hasArguments) {
      return this.#delta({ type: 'input_json_delta', partial_json: '{}' })
    }
    return ''
  }

  #delta(delta: object): string {
    const index = this.#blocks - 1
    return namedEvent('content_block_delta', { type: 'content_block_delta', index, delta })
  }
}

const textStart = { type: 'text', text: '', citations: null }
const thinkingStart = { type: 'thinking', thinking: '', signature: '' }
