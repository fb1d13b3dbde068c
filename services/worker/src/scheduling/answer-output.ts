/**
 * Makes the events of an answer out of its tokens. The answer's reader tells text, reasoning and
 * calls apart; here log probabilities are put on the text, and a reader that fails is replaced: an
 * answer that cannot be read is given out as plain text, because it was computed and is paid for.
 */
import type { GenerateEvent, Logprob } from '@svc/contracts/worker/protocol'
import type { Draw, Vocabulary } from '../engines/engine.ts'
import type { AnswerPiece, AnswerStep, AnswerText } from '../prompt/answer-text.ts'
import { TokenText } from '../prompt/utf8.ts'

type WithoutCount<Event> = Event extends { outputTokens: number }
  ? Omit<Event, 'outputTokens'>
  : never
/** What an answer says, apart from how many tokens it took. */
export type AnswerEvent = WithoutCount<GenerateEvent>

/**
 * Tokens whose log probabilities one event tells. Each names up to twenty alternatives, some as
 * long as a line of blanks, and an event has a bound of bytes.
 */
const LOGPROBS_AT_ONCE_MAX = 4

export interface OutputStep {
  readonly events: readonly AnswerEvent[]
  /** The stop text that ended the answer, or null. */
  readonly stopText: string | null
}

export interface AnswerOutputParts {
  readonly vocabulary: Vocabulary
  readonly reader: AnswerText
  /** Alternatives to report with every token of the text; null reports nothing. */
  readonly topLogprobs: number | null
  readonly onReaderFailure: (error: unknown) => void
}

export class AnswerOutput {
  readonly #parts: AnswerOutputParts
  /** Takes the place of a reader that failed. */
  #plain: TokenText | null = null
  #called = false
  #taken = 0
  /**
   * Log probabilities by their place in the answer, until the text that they are part of is given
   * out.
   */
  readonly #logprobs = new Map<number, Logprob>()

  constructor(parts: AnswerOutputParts) {
    this.#parts = parts
  }

  /** Whether a tool was called. */
  get called(): boolean {
    return this.#called
  }

  push(draw: Draw): OutputStep {
    this.#remember(draw)
    return this.#read(
      () => this.#parts.reader.push(draw.token),
      (plain) => plain.push(draw.token),
    )
  }

  /**
   * What was held back when the answer ended.
   *
   * @param cut whether the limit was reached or the client stopped, and not the model
   */
  end(cut: boolean): OutputStep {
    return this.#read(
      () => this.#parts.reader.end(cut),
      (plain) => plain.end(),
    )
  }

  #remember(draw: Draw): void {
    const { topLogprobs, vocabulary } = this.#parts
    const logprob = topLogprobs === null ? null : answerLogprob(draw, topLogprobs, vocabulary)
    if (logprob !== null) this.#logprobs.set(this.#taken, logprob)
    this.#taken += 1
  }

  #read(read: () => AnswerStep, readPlain: (plain: TokenText) => string): OutputStep {
    if (this.#plain === null) {
      try {
        const { pieces, stopText, shownFrom } = read()
        const events = pieces.flatMap((piece) => this.#events(piece))
        this.#forgetBefore(shownFrom)
        return { events, stopText }
      } catch (error) {
        this.#parts.onReaderFailure(error)
        this.#plain = new TokenText(this.#parts.vocabulary, [])
      }
    }
    const text = readPlain(this.#plain)
    return { events: text === '' ? [] : [{ type: 'token', kind: 'text', text }], stopText: null }
  }

  #events(piece: AnswerPiece): readonly AnswerEvent[] {
    if (piece.kind === 'call') {
      this.#called = true
      return [{ type: 'tool_call', name: piece.name }]
    }
    const { kind, text } = piece
    if (kind !== 'text' || this.#parts.topLogprobs === null) return [{ type: 'token', kind, text }]
    const logprobs = this.#logprobsOf(piece.drawn)
    const events: AnswerEvent[] = []
    for (let at = 0; at === 0 || at < logprobs.length; at += LOGPROBS_AT_ONCE_MAX) {
      const some = logprobs.slice(at, at + LOGPROBS_AT_ONCE_MAX)
      events.push({ type: 'token', kind, text: at === 0 ? text : '', logprobs: some })
    }
    return events
  }

  /** Those of thoughts and calls are told with no text. */
  #forgetBefore(shownFrom: number): void {
    for (const place of this.#logprobs.keys()) {
      if (place >= shownFrom) return
      this.#logprobs.delete(place)
    }
  }

  /** A token that is part of two pieces is reported with the first. */
  #logprobsOf(drawn: readonly number[]): Logprob[] {
    return drawn.flatMap((place) => {
      const logprob = this.#logprobs.get(place)
      this.#logprobs.delete(place)
      return logprob ?? []
    })
  }
}

/**
 * Puts log probabilities into the form of the protocol: token ids become texts and bytes.
 *
 * @param top how many alternatives to name
 */
function answerLogprob(
  { token, logprobs }: Draw,
  top: number,
  vocabulary: Vocabulary,
): Logprob | null {
  if (logprobs === null) return null
  return {
    ...named(token, logprobs.drawn, vocabulary),
    top: logprobs.likeliest
      .slice(0, top)
      .map((each) => named(each.token, each.logprob, vocabulary)),
  }
}

function named(token: number, logprob: number, vocabulary: Vocabulary): Omit<Logprob, 'top'> {
  const control = vocabulary.controlText(token)
  if (control !== '') return { token: control, bytes: [...Buffer.from(control)], logprob }
  const bytes = vocabulary.bytes(token)
  const text = vocabulary.detokenize([token], [])
  return { token: text, bytes: bytes === null ? null : [...bytes], logprob }
}
