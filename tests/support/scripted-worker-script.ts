/** What a scripted worker plays: how many tokens, how fast, and what goes wrong on the way. */

export type Fault =
  /** Closes the connection without a word, as a process that dies does. */
  | { readonly kind: 'die'; readonly afterTokens: number }
  /** Meters and reports an error. */
  | { readonly kind: 'error'; readonly afterTokens: number; readonly meter: boolean }
  /** Says nothing any more, until it is cancelled. */
  | { readonly kind: 'hang'; readonly afterTokens: number }
  | { readonly kind: 'garbage'; readonly afterTokens: number; readonly line: string }
  /** Ends well, with counts that are wrong by these amounts. */
  | { readonly kind: 'wrong-meter'; readonly input: number; readonly output: number }
  | { readonly kind: 'no-meter' }
  /** Refuses with an error status before anything is made. */
  | { readonly kind: 'refuse'; readonly status: number; readonly code: string }

export interface WorkerScript {
  readonly tokens: number
  /** Between tokens; 0 sends all at once. */
  readonly delayMs: number
  /** Before the first token. */
  readonly prefillMs: number
  readonly prepareMs: number
  /** The first of the tokens, which are reasoning. */
  readonly reasoningTokens: number
  /** Of the prompt, counted as cached, up to the prompt's length. */
  readonly cachedTokens: number
  readonly text: (index: number) => string
  readonly fault: Fault | null
  /** A worker that acknowledges no cancel and plays on. */
  readonly deafToCancel: boolean
}

export const plainScript: WorkerScript = {
  tokens: 8,
  delayMs: 0,
  prefillMs: 0,
  prepareMs: 0,
  reasoningTokens: 0,
  cachedTokens: 0,
  text: (index) => (index === 0 ? 'word' : ` word${index}`),
  fault: null,
  deafToCancel: false,
}
