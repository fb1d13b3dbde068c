/**
 * Whether the server lets our user write. An append that it denies does not tell: the right can be
 * gone for all streams, or for this one alone, whose metadata names others. So the server is asked
 * with an append that writes nothing, and only for the former is nothing sold any more.
 */
import type { StoreTrouble } from '@svc/contracts/ports/store-health'
import type { Warn } from '../client/warning.ts'

const MAY_NOT_WRITE =
  'the event store lets our user read, and not write: give it the right to write our streams back, ' +
  'and svc goes on by itself'
/** Streams that are denied one by one and remembered as such. Each look asks for all of them. */
const DENIED_MAX = 100

export interface WriteRightPorts {
  /**
   * Asks the server whether the user may write, and writes nothing.
   *
   * @param stream by our name; a stream that no ledger has when it is left out
   */
  mayWrite(stream?: string): Promise<boolean>
  /** Whether the server was told to hide events of the stream: it is refused and told as that. */
  isSetAside(stream: string): boolean
  readonly warn: Warn
}

export class WriteRight {
  readonly #ports: WriteRightPorts
  #mayWrite = true
  /** Whether the server knows our user. */
  #isUserKnown = true
  #asking: Promise<void> | undefined
  /** By our names of them. */
  readonly #deniedStreams = new Set<string>()

  constructor(ports: WriteRightPorts) {
    this.#ports = ports
  }

  noteWritten(stream: string): void {
    this.#note(true)
    this.#forgetDenied(stream)
  }

  /** Returns at once; the server is asked meanwhile. */
  noteDenied(stream: string): void {
    if (!this.#mayWrite || this.#deniedStreams.has(stream)) return
    // Who is not answered is told so by the appends that follow.
    this.ask()
      .then(() => {
        if (this.#mayWrite && this.#isUserKnown) this.#noteDeniedAlone(stream)
      })
      .catch(() => {})
  }

  /** @param isUserKnown false when the server does not even let our user read */
  noteUser(isUserKnown: boolean): void {
    this.#isUserKnown = isUserKnown
    // One trouble with one user is told once.
    if (!isUserKnown) this.#mayWrite = true
  }

  /**
   * Asks again for what was denied. The owner of a stream may never come back to show that it can
   * be written, and the streams that are denied alone are no sign of a right that goes for all.
   *
   * @throws when the server does not say
   */
  async look(): Promise<void> {
    if (this.#mayWrite && this.#deniedStreams.size === 0) return
    await this.ask()
    for (const stream of this.#deniedStreams) {
      if (!this.#mayWrite || !this.#isUserKnown) return
      if (await this.#ports.mayWrite(stream)) this.#forgetDenied(stream)
    }
  }

  /** @throws when the server does not say */
  ask(): Promise<void> {
    this.#asking ??= this.#ports
      .mayWrite()
      .then((mayWrite) => this.#note(mayWrite))
      .finally(() => {
        this.#asking = undefined
      })
    return this.#asking
  }

  /** The worst first. */
  troubles(): readonly StoreTrouble[] {
    if (!this.#mayWrite) {
      return [{ message: MAY_NOT_WRITE, notReady: 'the event log takes nothing of ours' }]
    }
    const denied = [...this.#deniedStreams].filter((stream) => !this.#ports.isSetAside(stream))
    const [first] = denied
    if (first === undefined) return []
    const more = denied.length - 1
    const streams = more === 0 ? first : `${first} and ${more} more`
    return [
      { message: `the event store does not let our user write ${streams}, and others it does` },
    ]
  }

  #note(mayWrite: boolean): void {
    if (mayWrite === this.#mayWrite || !this.#isUserKnown) return
    this.#mayWrite = mayWrite
    const { warn } = this.#ports
    if (mayWrite) warn({}, 'event store lets our user write again')
    else warn({ reason: MAY_NOT_WRITE }, 'event store does not let our user write')
  }

  #forgetDenied(stream: string): void {
    if (this.#deniedStreams.delete(stream)) {
      this.#ports.warn({ stream }, 'event store lets our user write the stream again')
    }
  }

  #noteDeniedAlone(stream: string): void {
    if (this.#deniedStreams.has(stream) || this.#deniedStreams.size >= DENIED_MAX) return
    this.#deniedStreams.add(stream)
    this.#ports.warn({ stream }, 'event store does not let our user write the stream')
  }
}
