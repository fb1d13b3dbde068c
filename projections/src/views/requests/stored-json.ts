/**
 * The parts of a request's row that are stored as JSON, as arrays without names: half the bytes and
 * half the time of a rebuild. The database is our own: what is read needs no check of its shape.
 */
import type { TokenClass } from '@svc/contracts/tokens'
import type { EventReference } from '../../views.ts'
import type { RequestState } from './project.ts'

type StoredPrice = [version: string, input: string, cachedInput: string, output: string]
type StoredLine = [tokenClass: TokenClass, tokens: number, price: string, amount: string]
type StoredSlice = [grantId: string, amount: string]
type StoredReference = [type: string, revision: number, id: string, hash: string]

export function writePrice({ price }: RequestState): string {
  const { version, input, cachedInput, output } = price
  const stored: StoredPrice = [version, input, cachedInput, output]
  return JSON.stringify(stored)
}

export function readPrice(text: string): RequestState['price'] {
  const [version, input, cachedInput, output] = JSON.parse(text) as StoredPrice
  return { version, input, cachedInput, output }
}

export function writeLines({ lines }: RequestState): string {
  const stored = lines.map((line): StoredLine => [line.class, line.tokens, line.price, line.amount])
  return JSON.stringify(stored)
}

export function readLines(text: string): RequestState['lines'] {
  const stored = JSON.parse(text) as StoredLine[]
  return stored.map(([tokenClass, tokens, price, amount]) => ({
    class: tokenClass,
    tokens,
    price,
    amount,
  }))
}

export function writeSlices({ slices }: RequestState): string {
  const stored = slices.map(({ grantId, amount }): StoredSlice => [grantId, amount])
  return JSON.stringify(stored)
}

export function readSlices(text: string): RequestState['slices'] {
  return (JSON.parse(text) as StoredSlice[]).map(([grantId, amount]) => ({ grantId, amount }))
}

export function writeLatencies({ latencies }: RequestState): string | null {
  return latencies === null ? null : JSON.stringify(latencies)
}

export function readLatencies(text: string | null): RequestState['latencies'] {
  return text === null ? null : (JSON.parse(text) as RequestState['latencies'])
}

/** The stream is the account's, and so is not stored. */
export function writeReferences({ events }: RequestState): string {
  const stored = events.map(
    ({ type, revision, id, hash }): StoredReference => [type, revision, id, hash],
  )
  return JSON.stringify(stored)
}

export function readReferences(text: string, stream: string): EventReference[] {
  const stored = JSON.parse(text) as StoredReference[]
  return stored.map(([type, revision, id, hash]) => ({ type, stream, revision, id, hash }))
}
