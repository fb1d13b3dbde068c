/** What a user copies installs the same packages everywhere, without running their scripts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as dependencies from '../rules/dependencies.ts'
import { allExamples, pinsOf } from './example-list.ts'

const examples = allExamples()
const withPins = examples.filter(({ kind }) => kind !== 'shell')
const ofNode = examples.filter(({ kind }) => kind === 'node')

test('there is an example for each kind of client', () => {
  expect(examples.length).toBeGreaterThanOrEqual(10)
  expect(new Set(examples.map(({ kind }) => kind))).toEqual(new Set(['node', 'python', 'shell']))
})

test.each(withPins)('$name names one version of each package', ({ folder, kind }) => {
  const pins = pinsOf(folder, kind)
  expect(pins.length).toBeGreaterThan(0)
  for (const [name, version] of pins) expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
})

describe.each(ofNode)('the lockfile of $name', ({ folder, kind }) => {
  const text = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const lockfile = JSON.parse(text) as dependencies.Lockfile

  test('has the versions that are asked for', () => {
    for (const [name, version] of pinsOf(folder, kind)) {
      expect(lockfile.packages[`node_modules/${name}`]?.version, name).toBe(version)
    }
  })

  test('names hashes and no address', () => {
    expect(text).not.toContain('"resolved"')
    expect(dependencies.uncheckedPackages(lockfile)).toEqual([])
  })

  test('needs no script', () => {
    expect(dependencies.neededInstallScripts(lockfile)).toEqual([])
  })
})
