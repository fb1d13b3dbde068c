/** What was ever stored can be read for ever. See `fixtures/README.md`. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { eventTypes } from '../../tests/arbitrary-events.ts'
import { NO_STREAM, type RecordedEvent } from '../ports/event-store.ts'
import { verifyChain } from '../ports/hash-chain.ts'
import { decodeEvent, decodeMetadata, encodeEvent } from './storage/codec.ts'
import { currentVersion } from './storage/upcast.ts'

interface Fixture extends RecordedEvent {
  readonly file: string
  readonly version: number
}

const folder = new URL('fixtures/', import.meta.url)
const fixtures = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file): Fixture => {
    const stored = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    const version = Number(/\.v(\d+)\.json$/.exec(file)?.[1])
    return { ...stored, position: BigInt(stored.position), file, version }
  })

test('every version of every type has a fixture', () => {
  const needed = eventTypes.flatMap((type) =>
    Array.from({ length: currentVersion(type) }, (_, index) => `${type}.v${index + 1}.json`),
  )
  expect(fixtures.map(({ file }) => file).sort()).toEqual(needed.sort())
})

describe.each(fixtures)('$file', ({ file, version, ...stored }) => {
  test('holds the type and version of its name', () => {
    expect(file).toBe(`${stored.type}.v${decodeMetadata(stored).schemaVersion}.json`)
  })

  test('still hashes to what it did when it was stored', () => {
    expect(verifyChain(NO_STREAM, [stored])).toEqual({ revision: 0, hash: stored.hash })
  })

  test('can be read', () => {
    expect(decodeEvent(stored).type).toBe(stored.type)
  })

  // Older versions are read only.
  if (version === currentVersion(stored.type)) {
    test('is written today byte for byte', () => {
      const { schemaVersion: _, ...origin } = decodeMetadata(stored)
      const { data, metadata } = encodeEvent(stored.id, decodeEvent(stored), origin)
      expect(data).toBe(stored.data)
      expect(metadata).toBe(stored.metadata)
    })
  }
})
