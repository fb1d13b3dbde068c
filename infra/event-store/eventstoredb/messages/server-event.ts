/** Events as the server has them: what `client.ts` gives and takes, free of the client's types. */

/** An event that is read. */
export interface ServerEvent {
  readonly stream: string
  readonly id: string
  readonly type: string
  readonly revision: number
  readonly position: bigint
  /**
   * When the event was created by the server's clock, in milliseconds since 1970; undefined when
   * the server does not say.
   */
  readonly createdMs?: number | undefined
  readonly data: ServerData
  /**
   * The metadata, parsed when they are JSON, as bytes when they are not; undefined when there are
   * none.
   */
  readonly metadata: unknown
}

/** An event to append. */
export interface NewServerEvent {
  /** A UUID. The server compares nothing else to tell a repeated append from another one. */
  readonly id: string
  readonly type: string
  readonly data: ServerData
  readonly metadata: Uint8Array
}

export type ServerData =
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

/** Reads the JSON; undefined of bytes, and of what only claims to be JSON. */
export function jsonValueOf(data: ServerData): unknown {
  return data.kind === 'json' ? parsedOr(undefined, data.text) : undefined
}

/** Reads metadata as {@link ServerEvent.metadata} has them. */
export function serverMetadata(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  return parsedOr(bytes, bytes.toString('utf8'))
}

function parsedOr(fallback: unknown, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return fallback
  }
}

/** The revision that an append to a stream without events expects. */
export const NO_EVENTS = -1
