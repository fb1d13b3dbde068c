/** Copies of a history in which one number is wrong: whoever checks books has to find each. */
import type { AccountEvent } from '@svc/contracts/events/account'

export interface AlteredHistory {
  /** The type of the altered event and the way to the number: `CreditDebited.lines.0.amount`. */
  readonly where: string
  readonly events: readonly AccountEvent[]
}

/** Numbers that are neither money nor tokens which cost any. */
const OTHER_NUMBERS = new Set([
  'at',
  'deadline',
  'expiresAt',
  'priority',
  'reasoningTokens',
  'cache',
  'latencies',
])

/** Each amount and each count of tokens, by one too high and by one too low. */
export function* alteredAmounts(events: readonly AccountEvent[]): Generator<AlteredHistory> {
  for (const [index, event] of events.entries()) {
    for (const { way, value } of numbersIn(event.data, [])) {
      for (const step of [1, -1]) {
        const wrong = typeof value === 'bigint' ? value + BigInt(step) : value + step
        const data = structuredClone(event.data)
        set(data, way, wrong)
        const altered = { type: event.type, data } as AccountEvent
        yield { where: [event.type, ...way].join('.'), events: events.with(index, altered) }
      }
    }
  }
}

interface FoundNumber {
  readonly way: readonly string[]
  readonly value: number | bigint
}

function numbersIn(value: unknown, way: readonly string[]): readonly FoundNumber[] {
  if (typeof value === 'bigint' || typeof value === 'number') return [{ way, value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => {
    return OTHER_NUMBERS.has(name) ? [] : numbersIn(part, [...way, name])
  })
}

function set(data: unknown, [name = '', ...rest]: readonly string[], value: unknown): void {
  const fields = data as Record<string, unknown>
  if (rest.length === 0) fields[name] = value
  else set(fields[name], rest, value)
}
