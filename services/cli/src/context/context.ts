/**
 * Gives every command what it works with: the terminal, the global options, and the service it
 * speaks to.
 */
import { styleText } from 'node:util'
import type { Operations } from '@svc/contracts/admin/operations'
import { jsonText } from '@svc/contracts/json-text'
import { printable } from '@svc/contracts/printable'
import { DEFAULT_DATA_DIR } from '@svc/server/data-folder/data-folder'
import { readLogLocation } from '@svc/server/settings/log-location'
import { connect, type Target } from './connect.ts'
import type { Terminal } from './terminal.ts'

export interface GlobalOptions {
  readonly dataDir?: string
  readonly url?: string
  readonly json?: true
  readonly quiet?: true
  readonly color: 'auto' | 'always' | 'never'
}

export class Context {
  readonly terminal: Terminal
  readonly options: GlobalOptions
  #described: string | undefined

  constructor(terminal: Terminal, options: GlobalOptions) {
    this.terminal = terminal
    this.options = options
  }

  get json(): boolean {
    return this.options.json === true
  }

  /** The folder of the service, when no URL is named. */
  get dataDir(): string {
    return this.options.dataDir ?? this.terminal.environment.SVC_DATA_DIR ?? DEFAULT_DATA_DIR
  }

  /**
   * Opens the way to the service for as long as the work takes. A command that asks somebody opens
   * it twice, and says once which way was taken.
   */
  async withOperations<T>(work: (operations: Operations) => Promise<T>): Promise<T> {
    this.terminal.catchInterrupt()
    const connection = await connect(this.#target())
    if (connection.description !== this.#described) this.note(connection.description)
    this.#described = connection.description
    try {
      return await work(connection.operations)
    } finally {
      await connection.close()
    }
  }

  out(text: string): Promise<void> {
    return this.terminal.out(text)
  }

  /** Writes one object, on one line; its shape is named and versioned. */
  outJson(schema: string, object: object): Promise<void> {
    return this.out(`${jsonText({ schema: `svc.${schema}`, ...object })}\n`)
  }

  /** Tells a person something: on standard error, and not at all when a program asked. */
  note(text: string): void {
    if (this.json || this.options.quiet === true) return
    this.terminal.err(`${printable(text)}\n`)
  }

  /** Warns a person on standard error, whoever asked. */
  readonly warn = (warning: string): void => this.terminal.err(`svc: ${printable(warning)}\n`)

  strong(text: string): string {
    return this.#style('bold', text)
  }

  alarm(text: string): string {
    return this.#style('red', text)
  }

  #style(style: 'bold' | 'red', text: string): string {
    return this.#colors() ? styleText(style, text, { validateStream: false }) : text
  }

  #colors(): boolean {
    const { color } = this.options
    if (color !== 'auto') return color === 'always'
    return this.terminal.outIsTerminal && (this.terminal.environment.NO_COLOR ?? '') === ''
  }

  #target(): Target {
    const { environment, stop } = this.terminal
    const { url } = this.options
    const { warn } = this
    if (url !== undefined) {
      return { url, operatorToken: environment.SVC_OPERATOR_TOKEN, stop, warn }
    }
    const place = readLogLocation(environment)
    const { SVC_EVIDENCE_KEY: evidenceKey, SVC_BACKUP_DIR: backupDir } = environment
    return { dataDir: this.dataDir, place, evidenceKey, backupDir, stop, warn }
  }
}
