/**
 * The reference of the API, made when somebody first asks for it, in a thread of its own: the
 * server starts without it, and no other request waits while it is made.
 */
import { Worker } from 'node:worker_threads'
import { threadEnvironment } from '@svc/infra/system/thread-environment'
import { escapeHtml } from '../http/pages/html-page.ts'

/** Stands on the page for the address of the server until a reader is known; nothing else does. */
export const ADDRESS = '\u0000base\u0000'

export interface ReferenceOptions {
  readonly version: string
  /** What the document names as the server; undefined: where it was read from. */
  readonly publicUrl: string | undefined
}

export interface ReferenceTexts {
  /** The OpenAPI document, as JSON. */
  readonly document: string
  /** The page as HTML, with {@link ADDRESS} in it. */
  readonly page: string
}

export class Reference {
  readonly #options: ReferenceOptions
  #texts: Promise<ReferenceTexts> | null = null

  constructor(options: ReferenceOptions) {
    this.#options = options
  }

  async document(): Promise<string> {
    return (await this.#made()).document
  }

  /** @param baseUrl at which the reader reaches the server, without `/v1` */
  async page(baseUrl: string): Promise<string> {
    return (await this.#made()).page.replaceAll(ADDRESS, escapeHtml(baseUrl))
  }

  #made(): Promise<ReferenceTexts> {
    this.#texts ??= madeInThread(this.#options).catch((cause: unknown) => {
      // The next one who asks tries again.
      this.#texts = null
      throw cause
    })
    return this.#texts
  }
}

function madeInThread(options: ReferenceOptions): Promise<ReferenceTexts> {
  const { promise, resolve, reject } = Promise.withResolvers<ReferenceTexts>()
  const thread = new Worker(new URL('reference-thread.ts', import.meta.url), {
    workerData: options,
    env: threadEnvironment(),
    argv: [],
    execArgv: [],
    name: 'reference',
  })
  thread.unref()
  thread.on('message', resolve)
  thread.on('error', reject)
  thread.on('exit', () => reject(new Error('the reference of the API was not made')))
  return promise
}
