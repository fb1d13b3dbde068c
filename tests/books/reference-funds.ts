/** The credit of an account, and what moved it: see `reference-account.ts`. */

export type Category = 'paid' | 'promotional'

export interface ReferenceGrant {
  id: string
  readonly amount: bigint
  left: bigint
  expired: bigint
  readonly category: Category
  readonly priority: number
  readonly expiresAt: number | null
  readonly grantedAt: number
  readonly reference: string | null
  isVoided: boolean
}

export interface Slice {
  readonly grant: number
  readonly amount: bigint
}

export type MovementType =
  | 'grant'
  | 'usage'
  | 'expiry'
  | 'void'
  | 'refund'
  | 'adjustment'
  | 'closing'

export interface ReferenceMovement {
  readonly type: MovementType
  readonly amount: bigint
  readonly at: number
  /** Which kind a grant is of, or what became of the rest of a closed account. */
  readonly kind: string
}

/** What is answered: an amount where something moved, or a code where it was refused. */
export type Outcome =
  | { readonly done: true; readonly isNew: boolean; readonly amount: bigint }
  | { readonly done: false; readonly code: string }

const CORRECTION_PRIORITY = 100

export const done = (amount = 0n, isNew = true): Outcome => ({ done: true, isNew, amount })
export const refused = (code: string): Outcome => ({ done: false, code })
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const atLeastZero = (a: bigint): bigint => (a > 0n ? a : 0n)
export const sum = (all: readonly bigint[]): bigint => all.reduce((total, each) => total + each, 0n)

export class ReferenceFunds {
  debt = 0n
  grants: ReferenceGrant[] = []
  movements: ReferenceMovement[] = []
  /** What was asked for under each key: `<kind> <key>`. Null once its texts were erased. */
  asked: Record<string, string | null> = {}

  get balance(): bigint {
    return sum(this.grants.map(({ left }) => left)) - this.debt
  }

  /** Priority, the earliest end (none last), promotional before paid, the oldest, id. */
  inOrder(): number[] {
    const rank = ({ priority, expiresAt, category, grantedAt, id }: ReferenceGrant) =>
      [priority, expiresAt ?? Infinity, category === 'paid' ? 1 : 0, grantedAt, id] as const
    const before = (a: ReferenceGrant, b: ReferenceGrant): number => {
      const [one, other] = [rank(a), rank(b)]
      const at = one.findIndex((each, index) => each !== other[index])
      if (at === -1) return 0
      return (one[at] ?? 0) < (other[at] ?? 0) ? -1 : 1
    }
    const all = this.grants.map((grant, index) => ({ grant, index }))
    return all.toSorted((a, b) => before(a.grant, b.grant)).map(({ index }) => index)
  }

  grantAt(index: number): ReferenceGrant {
    const grant = this.grants[index]
    if (grant === undefined) throw new Error(`there is no grant ${index}`)
    return grant
  }

  move(type: MovementType, amount: bigint, at: number, kind = ''): void {
    this.movements.push({ type, amount, at, kind })
  }

  /** What is past its time ends, but for what running requests hold of it. */
  expireBut(held: bigint, at: number): void {
    let open = held
    for (const index of this.inOrder()) {
      const grant = this.grantAt(index)
      const kept = least(grant.left, open)
      open -= kept
      const lost = grant.left - kept
      if (grant.expiresAt === null || grant.expiresAt > at || lost === 0n) continue
      grant.left = kept
      grant.expired += lost
      this.move('expiry', -lost, at)
    }
  }

  /** Takes an amount from the grants in their order. @returns what each paid; the rest is debt */
  take(amount: bigint, first: readonly number[] = []): readonly Slice[] {
    const slices: Slice[] = []
    let open = amount
    for (const index of [...first, ...this.inOrder()]) {
      const grant = this.grantAt(index)
      const taken = least(grant.left, open)
      if (taken === 0n) continue
      grant.left -= taken
      open -= taken
      slices.push({ grant: index, amount: taken })
    }
    this.debt += open
    return slices
  }

  /** Credit pays a debt first; what is left is a grant. */
  credit(amount: bigint, terms: Omit<ReferenceGrant, 'amount' | 'left' | 'expired' | 'isVoided'>) {
    const paid = least(this.debt, amount)
    this.debt -= paid
    return { ...terms, amount, left: amount - paid, expired: 0n, isVoided: false }
  }

  correctionCredit(id: string, amount: bigint, category: Category, at: number): void {
    const paid = least(this.debt, amount)
    this.debt -= paid
    if (amount === paid) return
    const always = { priority: CORRECTION_PRIORITY, expiresAt: null, reference: null }
    this.grants.push(this.credit(amount - paid, { id, category, ...always, grantedAt: at }))
  }

  /** Once for each key. @returns undefined when it was not asked for before */
  again(kind: string, key: string | null, content: string, amount = 0n): Outcome | undefined {
    if (key === null) return undefined
    const known = this.asked[`${kind} ${key}`]
    if (known === undefined) return undefined
    return known === null || known === content ? done(amount, false) : refused('conflict')
  }

  remember(kind: string, key: string | null, content: string): void {
    if (key !== null) this.asked[`${kind} ${key}`] = content
  }
}
