/**
 * The types of the tools that are left out, because they would run on the server, which has none.
 * An answer names them in a header, so that the caller can see what the model was not offered.
 */

/** Clients read a whole head of some 16 KiB at most, and would lose an answer that was paid for. */
const SHOWN_TYPES_MAX = 16
const SHOWN_TYPE = /^[A-Za-z0-9_.-]{1,64}$/

export class DroppedTools {
  readonly #types = new Set<string>()

  /** Notes a type: each is named once, and one that would not fit a header is named `other`. */
  add(type: string): void {
    if (this.#types.size < SHOWN_TYPES_MAX) this.#types.add(SHOWN_TYPE.test(type) ? type : 'other')
  }

  get types(): readonly string[] {
    return [...this.#types]
  }
}

/** The header of an answer that names them, or none where nothing was left out. */
export function droppedToolsHeader(types: readonly string[]): Readonly<Record<string, string>> {
  return types.length === 0 ? {} : { 'x-svc-dropped-tools': types.join(', ') }
}
