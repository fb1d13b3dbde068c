/** Reads a streamed answer event by event, so that a test can act between two events. */
export class StreamReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  /** All that has come so far. */
  text = ''

  constructor(response: Response) {
    if (response.body === null) throw new Error('the answer has no body')
    this.#reader = response.body.getReader()
  }

  /** Waits until the text has come, from a place in the stream on. */
  async until(part: string, from = 0): Promise<void> {
    while (!this.text.includes(part, from)) {
      const { done, value } = await this.#reader.read()
      if (done) throw new Error(`the stream ended without ${part}: ${this.text}`)
      this.text += this.#decoder.decode(value, { stream: true })
    }
  }

  /** Reads to the end. @returns everything; a cut connection ends it as well */
  async rest(): Promise<string> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read()
        if (done) return this.text
        this.text += this.#decoder.decode(value, { stream: true })
      }
    } catch {
      return this.text
    }
  }
}

/** A promise with its two ends in hand. */
export function gate(): { readonly passed: Promise<void>; open(): void; fail(cause: Error): void } {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(() => {})
  return { passed: promise, open: resolve, fail: reject }
}
