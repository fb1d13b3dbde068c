/**
 * Recomputes the money of an account from its events, and from nothing else:
 *
 *     tokens × price = debit       balance before ± amount = balance after
 *
 * What events say is looked at by hand: a history has millions of them.
 */

/** The sign with which the amount of an event changes the balance. */
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
  /** The rates of one token: input, cached input, output. */
  readonly rates: readonly bigint[]
  counts?: readonly number[]
}

type Fields = Readonly<Record<string, unknown>>

const CLASSES = ['input', 'cached_input', 'output'] as const
const AMOUNT = /^-?\d{1,40}$/

/** The data of an event are not what those of its type are. */
class Misstated extends Error {}

export class BookedMoney {
  readonly #fromTheStart: boolean
  /** Is undefined when what came before is not known: then the next balance is not compared. */
  #balance: bigint | undefined
  readonly #requests = new Map<string, OpenRequest>()

  /** @param fromTheStart whether all events of the account come */
  constructor(fromTheStart: boolean) {
    this.#fromTheStart = fromTheStart
    this.#balance = fromTheStart ? 0n : undefined
  }

  /** `unknown`: the event moves the balance in a way that this program does not know. */
  take(type: string, given: unknown): MoneyFinding {
    try {
      const data = fieldsOf(given)
      return this.#isPriced(type, data) ? this.#move(type, data) : 'price'
    } catch (error) {
      if (error instanceof Misstated) return 'price'
      throw error
    }
  }

  #isPriced(type: string, data: Fields): boolean {
    switch (type) {
      case 'RequestAccepted': {
        const { input, cachedInput, output } = fieldsOf(data.price)
        const rates = [amountOf(input), amountOf(cachedInput), amountOf(output)]
        const requestId = textOf(data.requestId)
        // Accepted twice, it would have two prices to choose from; metered twice, two counts.
        if (this.#requests.has(requestId)) return false
        this.#requests.set(requestId, { rates })
        return true
      }
      case 'TokensMetered': {
        const { inputTokens, cachedInputTokens, outputTokens } = data
        const counts = [tokensOf(inputTokens), tokensOf(cachedInputTokens), tokensOf(outputTokens)]
        const request = this.#requests.get(textOf(data.requestId))
        if (request === undefined || request.counts !== undefined) return false
        request.counts = counts
        return true
      }
      case 'CreditDebited':
        return this.#isDebitRight(data)
      case 'RequestFailed':
      case 'RequestAbandoned':
        this.#requests.delete(textOf(data.requestId))
        return true
      default:
        return true
    }
  }

  #isDebitRight(data: Fields): boolean {
    const { lines } = data
    const requestId = textOf(data.requestId)
    const request = this.#requests.get(requestId)
    this.#requests.delete(requestId)
    if (request?.counts === undefined) return false
    if (!Array.isArray(lines) || lines.length !== CLASSES.length) return false
    let sum = 0n
    for (const [index, name] of CLASSES.entries()) {
      const line = fieldsOf(lines[index])
      const count = request.counts[index]
      const rate = request.rates[index] ?? 0n
      const cost = rate * BigInt(count ?? 0)
      const isRight = line.class === name && tokensOf(line.tokens) === count
      if (!isRight || amountOf(line.price) !== rate || amountOf(line.amount) !== cost) return false
      sum += cost
    }
    return sum === amountOf(data.amount)
  }

  #move(type: string, data: Fields): MoneyFinding {
    const effect = balanceEffects.get(type)
    if (effect === undefined) {
      if (!('balanceAfter' in data)) return 'right'
      // The event moved the balance to where the next event that is known says.
      this.#balance = undefined
      return 'unknown'
    }
    const amount = amountOf(data.amount)
    const balanceAfter = amountOf(data.balanceAfter)
    const before = this.#balance
    if (this.#fromTheStart) this.#balance = balanceAfter
    if (before === undefined) return 'right'
    return before + effect * amount === balanceAfter ? 'right' : 'balance'
  }
}

function fieldsOf(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new Misstated()
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw new Misstated()
}

function amountOf(value: unknown): bigint {
  if (typeof value === 'string' && AMOUNT.test(value)) return BigInt(value)
  throw new Misstated()
}

function tokensOf(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new Misstated()
}
