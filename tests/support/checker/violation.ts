export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I8' | 'I9' | 'I11' | 'I12'

export interface Violation {
  readonly invariant: Invariant
  /** The request, account or stream that it is about. */
  readonly subject: string
  readonly problem: string
}
