/** Runs the CLI in this process and keeps what it writes. */
import { run } from '@svc/cli/run'
import type { Terminal } from '@svc/cli/terminal'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Surroundings {
  readonly environment?: Record<string, string>
  readonly signal?: AbortSignal
  /** What a person at a terminal says to a question; without it nobody can be asked. */
  readonly answer?: boolean | (() => Promise<boolean>)
  readonly outIsTerminal?: boolean
  readonly columns?: number
  readonly onOut?: (text: string) => void
}

export async function svc(args: readonly string[], around: Surroundings = {}): Promise<Ran> {
  const { environment = {}, signal, answer, outIsTerminal = false, columns, onOut } = around
  let out = ''
  let err = ''
  const terminal: Terminal = {
    environment,
    outIsTerminal,
    columns,
    errIsTerminal: false,
    stop: signal ?? new AbortController().signal,
    interrupted: false,
    catchInterrupt: () => {},
    watchReader: () => () => {},
    canAsk: answer !== undefined,
    confirm: async () => (typeof answer === 'function' ? answer() : answer === true),
    async out(text) {
      out += text
      onOut?.(text)
    },
    err: (text) => {
      err += text
    },
  }
  return { code: await run(args, terminal), out, err }
}
