import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../testing/folders.ts'
import { DataFolder, DataFolderError } from './data-folder.ts'

const key = /^[0-9a-f]{64}$/

/** A folder with these secrets, or none. */
function folderWith(secrets?: object): DataFolder {
  const path = temporaryFolder()
  if (secrets !== undefined) writeFileSync(join(path, 'secrets.json'), JSON.stringify(secrets))
  return new DataFolder(path)
}

const keptIn = ({ path }: DataFolder) =>
  JSON.parse(readFileSync(join(path, 'secrets.json'), 'utf8'))

describe('the secrets of a folder', () => {
  test('are told before anything is written, and stay the same', () => {
    const folder = folderWith()
    const coming = folder.comingSecrets()
    expect(readdirSync(folder.path)).toEqual([])
    expect(folder.readSecrets()).toBeUndefined()
    expect(folder.secrets()).toEqual(coming)
    expect(new DataFolder(folder.path).secrets()).toEqual(coming)
    expect(Object.values(coming)).toEqual([1, 2, 3].map(() => expect.stringMatching(key)))
    expect(new Set(Object.values(coming)).size).toBe(3)
  })

  test('of before there was a cache are completed, and the others stay', () => {
    const old = { operatorToken: 'a'.repeat(64), answerKey: 'b'.repeat(64) }
    const folder = folderWith(old)
    folder.check()
    const { cacheKey } = folder.comingSecrets()
    expect(keptIn(folder)).toEqual(old)
    expect(folder.secrets()).toEqual({ ...old, cacheKey })
    expect(keptIn(folder)).toEqual({ ...old, cacheKey })
    expect(new DataFolder(folder.path).comingSecrets()).toEqual({ ...old, cacheKey })
  })

  test('that are damaged are not replaced', () => {
    const folder = folderWith({ operatorToken: 'short' })
    expect(() => folder.secrets()).toThrow(DataFolderError)
    expect(keptIn(folder)).toEqual({ operatorToken: 'short' })
  })
})
