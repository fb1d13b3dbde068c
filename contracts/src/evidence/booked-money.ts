/**
 * Recomputes the money of an account from its events, and from nothing else:
 *
 *     tokens × price = debit       balance before ± amount = balance after
 */
import { z } from 'zod'

const amount = z
  .string()
  .regex(/^-?\d{1,40}$/)
  .transform(BigInt)
const tokens = z.int().min(0)
const rates = z.object({ input: amount, cachedInput: amount, output: amount })
const accepted = z.object({ requestId: z.string(), price: rates })
const metered = z.object({
  requestId: z.string(),
  inputTokens: tokens,
  cachedInputTokens: tokens,
  outputTokens: tokens,
})
const debited = z.object({
  requestId: z.string(),
  amount,
  lines: z.array(z.object({ class: z.string(), tokens, price: amount, amount })),
})
const ended = z.object({ requestId: z.string() })
const moved = z.object({ amount, balanceAfter: amount })

/** What the amount of an event does to the balance. */
export const balanceEffects: ReadonlyMap<string, 1n | -1n> = new Map([
  ['CreditGranted', 1n],
  ['CreditRefunded', 1n],
  ['BalanceAdjusted', 1n],
  ['AccountClosed', 1n],
  ['CreditDebited', -1n],
  ['CreditExpired', -1n],
  ['GrantVoided', -1n],
])

export type MoneyFinding = 'right' | 'price' | 'balance' | 'unknown'

interface OpenRequest {
  readonly price: z.output<typeof rates>
  counts?: readonly number[]
}

export class BookedMoney {
  /** Undefined when the events before are not known: then balances are not compared. */
  #balance: bigint | undefined
  readonly #requests = new Map<string, OpenRequest>()

  /** @param fromTheStart whether all events of the account come */
  constructor(fromTheStart: boolean) {
    this.#balance = fromTheStart ? 0n : undefined
  }

  /** `unknown`: the event moves the balance in a way that this program does not know. */
  take(type: string, data: unknown): MoneyFinding {
    // The data of an event are an object, always.
    if (typeof data !== 'object' || data === null || Array.isArray(data)) return 'price'
    try {
      if (!this.#isPriced(type, data)) return 'price'
      return this.#move(type, data)
    } catch (error) {
      if (error instanceof z.ZodError) return 'price'
      throw error
    }
  }

  #isPriced(type: string, data: unknown): boolean {
    switch (type) {
      case 'RequestAccepted': {
        const { requestId, price } = accepted.parse(data)
        this.#requests.set(requestId, { price })
        return true
      }
      case 'TokensMetered': {
        const { requestId, inputTokens, cachedInputTokens, outputTokens } = metered.parse(data)
        const request = this.#requests.get(requestId)
        if (request === undefined) return false
        request.counts = [inputTokens, cachedInputTokens, outputTokens]
        return true
      }
      case 'CreditDebited':
        return this.#isDebitRight(debited.parse(data))
      case 'RequestFailed':
      case 'RequestAbandoned':
        this.#requests.delete(ended.parse(data).requestId)
        return true
      default:
        return true
    }
  }

  #isDebitRight({ requestId, amount, lines }: z.output<typeof debited>): boolean {
    const request = this.#requests.get(requestId)
    this.#requests.delete(requestId)
    if (request?.counts === undefined) return false
    const { price, counts } = request
    const classes = [
      ['input', price.input],
      ['cached_input', price.cachedInput],
      ['output', price.output],
    ] as const
    let sum = 0n
    const areRight = classes.every(([name, rate], index) => {
      const line = lines[index]
      sum += rate * BigInt(counts[index] ?? 0)
      return (
        line?.class === name &&
        line.tokens === counts[index] &&
        line.price === rate &&
        line.amount === rate * BigInt(line.tokens)
      )
    })
    return areRight && lines.length === classes.length && sum === amount
  }

  #move(type: string, data: object): MoneyFinding {
    const effect = balanceEffects.get(type)
    if (effect === undefined) return 'balanceAfter' in data ? 'unknown' : 'right'
    const { amount, balanceAfter } = moved.parse(data)
    const before = this.#balance
    if (before === undefined) return 'right'
    this.#balance = balanceAfter
    return before + effect * amount === balanceAfter ? 'right' : 'balance'
  }
}
