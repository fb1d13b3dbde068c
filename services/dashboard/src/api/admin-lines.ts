/** Operations of the operator that answer line by line as long as they work. */
import type {
  OperationInput,
  OperationName,
  OperationOutput,
} from '@svc/contracts/admin/operations'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { JsonOperation } from './admin.ts'
import { sendAdmin } from './admin.ts'
import { ApiError } from './api-error.ts'
import { noteRefusal } from './queries.ts'

export type LineOperation = Exclude<OperationName, JsonOperation>

/** Rows that are kept of an answer; the server says the sums of all in its last line. */
const LINES_MAX = 10_000

/** @throws {ApiError} also for what goes wrong behind the first line */
export async function* adminLines<Name extends LineOperation>(
  name: Name,
  input: OperationInput<Name>,
  signal?: AbortSignal,
): AsyncGenerator<OperationOutput<Name>> {
  const response = await sendAdmin(name, input, signal)
  if (response.body === null) return
  let rest = ''
  for await (const text of piecesOf(response.body)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    // A blank line is a heartbeat.
    for (const line of lines) if (line !== '') yield lineOf<Name>(line)
  }
  if (rest !== '') yield lineOf<Name>(rest)
}

/** Reads the stream without `for await`, because Safari has no iterator for it. */
async function* piecesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new ApiError({ status: 0, code: 'unreachable', message: '' })
  }
}

function lineOf<Name extends LineOperation>(text: string): OperationOutput<Name> {
  const line = JSON.parse(text) as OperationOutput<Name> | RefusalLine
  if (!isRefusal(line)) return line
  throw new ApiError({ status: 500, ...line.error })
}

interface RefusalLine {
  readonly type: 'error'
  readonly error: { readonly code: string; readonly message: string }
}

function isRefusal(line: unknown): line is RefusalLine {
  return (line as { readonly type?: unknown }).type === 'error'
}

export interface Work<Name extends LineOperation> {
  readonly isRunning: boolean
  readonly error: ApiError | null
  /** The last line of each type is the one that counts: how far it is, and what came out. */
  readonly newest: Readonly<Record<string, OperationOutput<Name>>>
  /** All that are no progress, in their order. */
  readonly lines: readonly OperationOutput<Name>[]
  start(input: OperationInput<Name>): void
  /** Ends the reading; the server ends the work with it. */
  stop(): void
}

interface State<Name extends LineOperation>
  extends Pick<Work<Name>, 'isRunning' | 'error' | 'newest' | 'lines'> {}

/** Work of the server, watched while it goes on. Whoever leaves the page ends it. */
export function useWork<Name extends LineOperation>(name: Name): Work<Name> {
  const client = useQueryClient()
  const [state, setState] = useState<State<Name>>(idle)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const follow = async (input: OperationInput<Name>, signal: AbortSignal) => {
    setState({ ...idle, isRunning: true })
    try {
      for await (const line of adminLines(name, input, signal)) {
        setState((before) => withLine(before, line))
      }
      await client.invalidateQueries()
    } catch (cause) {
      if (signal.aborted) return
      if (!(cause instanceof ApiError)) throw cause
      noteRefusal(cause)
      setState((before) => ({ ...before, error: cause }))
    } finally {
      setState((before) => ({ ...before, isRunning: false }))
    }
  }

  return {
    ...state,
    start(input) {
      running.current?.abort()
      running.current = new AbortController()
      void follow(input, running.current.signal)
    },
    stop: () => running.current?.abort(),
  }
}

const idle = { isRunning: false, error: null, newest: {}, lines: [] } as const

function withLine<Name extends LineOperation>(
  state: State<Name>,
  line: OperationOutput<Name>,
): State<Name> {
  const { type } = line as { readonly type: string }
  const isKept = type !== 'progress' && state.lines.length < LINES_MAX
  return {
    ...state,
    newest: { ...state.newest, [type]: line },
    lines: isKept ? [...state.lines, line] : state.lines,
  }
}
