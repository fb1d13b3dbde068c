import { readdirSync, readFileSync } from 'node:fs'
import { accountEventSchemas } from '@svc/contracts/events/account'
import { eventSchemas } from '@svc/contracts/events/codec'
import { pricingEventSchemas } from '@svc/contracts/events/pricing'
import { readKeptText } from '@svc/contracts/kept-text'
import { formatExact } from '@svc/contracts/money'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { expect, test } from 'vitest'
import { feedRecord, WITHHELD } from './feed-record.ts'

const folder = new URL('../../../contracts/src/events/fixtures/', import.meta.url)
/** The examples of every version of every event that was ever written. */
const fixtures = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => {
    const event = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
    return [name, { ...event, position: BigInt(event.position) } as RecordedEvent] as const
  })
const ledgerTypes = new Set(Object.keys({ ...accountEventSchemas, ...pricingEventSchemas }))

function fixture(name: string): RecordedEvent {
  const found = fixtures.find(([file]) => file === `${name}.json`)
  if (found === undefined) throw new Error(`there is no fixture ${name}`)
  return found[1]
}

test('an event of today leaves as it is stored', () => {
  const event = fixture('CreditDebited.v1')
  expect(feedRecord(event)).toEqual({
    key: event.stream.slice('account-'.length),
    value: event.data,
    headers: {
      id: event.id,
      type: 'CreditDebited',
      'schema-version': '1',
      position: String(event.position),
      revision: String(event.revision),
      hash: event.hash,
      'event-time': String(JSON.parse(event.data).at),
    },
  })
})

test.each(fixtures)(
  '%s leaves in the current version, and only if it is about money',
  (_, event) => {
    const record = feedRecord(event)
    if (!ledgerTypes.has(event.type)) return expect(record).toBeUndefined()
    const data = JSON.parse(record?.value ?? '')
    const schema = eventSchemas[event.type as keyof typeof eventSchemas]
    expect(schema.safeParse(data).error).toBeUndefined()
    expect(record?.headers.hash).toBe(event.hash)
  },
)

test.each(fixtures)('%s takes no text about people with it', (_, event) => {
  const record = feedRecord(event)
  const texts: string[] = []
  JSON.parse(record?.value ?? 'null', (name, value) => {
    const isText = ['name', 'reason', 'reference', 'externalId'].includes(name)
    if (isText && typeof value === 'string') texts.push(value)
    if (name === 'metadata') texts.push(...Object.values<string>(value))
    return value
  })
  const plain = texts.filter((text) => text !== WITHHELD && readKeptText(text) === undefined)
  expect(plain).toEqual([])
})

test('a text of an older event is withheld, and the rest of the event is not', () => {
  const record = feedRecord(fixture('CreditGranted.v1'))
  const data = JSON.parse(record?.value ?? '')
  expect(data).toMatchObject({ amount: '5000000000000', reason: WITHHELD, reference: WITHHELD })
  expect(record?.value).not.toContain('invoice-17')
})

test('the event that takes a balance below the bound says what is left: UX-17', () => {
  const event = fixture('CreditDebited.v1')
  const { amount, balanceAfter } = JSON.parse(event.data)
  const [after, before] = [BigInt(balanceAfter), BigInt(balanceAfter) + BigInt(amount)]
  const told = (below?: bigint) => feedRecord(event, below)?.headers['low-balance']
  expect(told(before)).toBe(formatExact(after))
  expect([told(), told(after), told(before + 1n)]).toEqual([undefined, undefined, undefined])
})

test('an event of a newer program stops the feed', () => {
  const event = fixture('CreditDebited.v1')
  const metadata = JSON.stringify({ ...JSON.parse(event.metadata), schemaVersion: 99 })
  expect(() => feedRecord({ ...event, metadata })).toThrow('update the program')
})
