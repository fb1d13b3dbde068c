/** What each says stands in `check.ts`. */
export type Invariant = `I${1 | 2 | 3 | 4 | 5 | 6 | 8 | 9}` | `I${11 | 12 | 13 | 15 | 18 | 19}`

export interface Violation {
  readonly invariant: Invariant
  /** The request, account or stream that it is about. */
  readonly subject: string
  readonly problem: string
}
