/**
 * The rules of `CONTRIBUTING.md` that a machine can check, each with a planted breach that it
 * finds.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { crashPoints } from '@svc/contracts/crash-points'
import { describe, expect, test } from 'vitest'
import { circlesOfFiles, circlesOfFolders } from './rules/circles.ts'
import { crashPointBreaches } from './rules/crash-points.ts'
import { impurities } from './rules/domain-purity.ts'
import { doorBreaches, needlessDoors } from './rules/doors.ts'
import { fixtureBreaches } from './rules/fixtures.ts'
import { importBreaches } from './rules/imports.ts'
import { moneyAsNumber } from './rules/money-types.ts'
import { roomBreaches } from './rules/worker-rooms.ts'
import { isCode, manifests, textFilesOfWorkspace, workspaceRoot } from './rules/workspace.ts'

const files = textFilesOfWorkspace()
const code = files.filter(isCode)
const packages = manifests(files)

test('the walk finds the sources', () => {
  const paths = code.map(({ path }) => path)
  expect(paths).toContain('contracts/src/money.ts')
  expect(paths).toContain('services/ledger/src/ledger.ts')
  expect(paths.some((path) => path.includes('node_modules'))).toBe(false)
  expect(packages.length).toBeGreaterThanOrEqual(8)
})

describe('imports point one way', () => {
  test('in all sources', () => {
    expect(importBreaches(code, packages)).toEqual([])
  })

  test.each([
    ['contracts/src/x.ts', "import { a } from '@svc/ledger/ledger'", 'may import no other'],
    ['services/ledger/src/x.ts', "import type { A } from '@svc/infra/x'", 'may import contracts'],
    ['services/ledger/src/x.ts', "export * from '@svc/projections/x'", 'may import contracts'],
    ['projections/src/x.ts', "await import('@svc/ledger/ledger')", 'may import contracts'],
    ['infra/event-store/x.ts', "import '@svc/gateway/gateway'", 'infra may import contracts'],
    ['infra/x.ts', "import type { Clock } from '@svc/ledger/ledger'", 'infra may import contracts'],
    [
      'infra/x.ts',
      "import { a } from '@svc/projections/runner/runner'",
      'infra may import contracts',
    ],
    ['services/gateway/src/x.ts', "import '@svc/worker/main'", 'may import contracts, ledger'],
    ['services/gateway/src/x.ts', "import '@svc/operator/x'", 'may import contracts, ledger'],
    ['services/operator/src/x.ts', "import '@svc/gateway/gateway'", 'may import contracts, ledger'],
    ['services/server/src/x.ts', "import '@svc/cli/run'", 'may import contracts, ledger'],
    ['services/cli/src/x.ts', "import '@svc/gateway/gateway'", 'may import contracts, infra'],
    ['services/worker/src/x.ts', "import '@svc/ledger/ledger'", 'may import contracts, infra'],
    ['services/ledger/src/x.ts', "import '../../../contracts/src/money.ts'", 'by its name'],
    ['services/worker/src/main.ts', "import { getLlama } from 'node-llama-cpp'", 'only ^services'],
    ['services/ledger/src/x.ts', "import { DatabaseSync } from 'node:sqlite'", 'only ^(infra'],
    ['services/ledger/src/x.ts', "import { request } from 'undici'", 'package.json'],
    ['contracts/src/x.ts', "import fc from 'fast-check'", 'package.json'],
    ['services/ledger/src/x.ts', "import { Random } from '@svc/testing/random'", 'may import'],
    ['services/ledger/src/x.test.ts', "import '../../../tests/support/random.ts'", 'by its name'],
    ['tests/support/x.ts', "import '../../services/cli/src/run.ts'", 'by its name'],
  ])('a breach is found: %s with %s', (path, text, problem) => {
    expect(importBreaches([{ path, text }], packages).join('\n')).toContain(problem)
  })

  test.each([
    ['services/ledger/src/x.ts', "import { formatExact } from '@svc/contracts/money'"],
    ['services/ledger/src/x.int.test.ts', "import '@svc/infra/event-store/memory/store'"],
    ['infra/event-store/sqlite/x.ts', "import { DatabaseSync } from 'node:sqlite'"],
    ['services/worker/src/engines/llama/llama.ts', "import { getLlama } from 'node-llama-cpp'"],
    ['contracts/src/events/x.ts', "import { a } from '../money.ts'"],
  ])('what is allowed is let through: %s with %s', (path, text) => {
    expect(importBreaches([{ path, text }], packages)).toEqual([])
  })
})

describe('nothing imports itself in a circle', () => {
  const file = (path: string, ...imports: string[]) => ({
    path: `services/gateway/src/${path}`,
    text: imports.map((from) => `import type { A } from '${from}'`).join('\n'),
  })

  test('no file', () => {
    expect(circlesOfFiles(code)).toEqual([])
  })

  test('no folder of a package', () => {
    expect(circlesOfFolders(code)).toEqual([])
  })

  test('a circle of files is found', () => {
    const planted = [file('a.ts', './b.ts'), file('b.ts', './c.ts'), file('c.ts', './a.ts')]
    const paths = planted.map(({ path }) => path)
    expect(circlesOfFiles([...planted, file('d.ts', './a.ts')])).toEqual([paths])
    expect(circlesOfFolders(planted)).toEqual([])
  })

  test('a circle of folders is found, also where no files are in one', () => {
    const planted = [file('x/a.ts', '../y/b.ts'), file('y/b.ts'), file('y/c.ts', '../x/d.ts')]
    const circle = ['services/gateway/src/x', 'services/gateway/src/y']
    expect(circlesOfFiles(planted)).toEqual([])
    expect(circlesOfFolders(planted)).toEqual([circle])
  })

  test('tests may look wherever they like, and a folder may import what lies in it', () => {
    const test = file('x/a.test.ts', '../y/b.ts')
    const down = [file('x/y/b.ts'), file('x/a.ts', './y/b.ts')]
    expect(circlesOfFolders([test, file('y/b.ts', '../x/a.test.ts'), ...down])).toEqual([])
  })
})

describe('fixtures stand where they are used', () => {
  test('in all sources', () => {
    expect(fixtureBreaches(code)).toEqual([])
  })

  test.each([
    ['services/cli/tests/x.test.ts', "import '@svc/gateway/testing/oracle'"],
    ['tests/spec/x.test.ts', "import '../../services/cli/testing/folders.ts'"],
    ['infra/event-store/sqlite/x.test.ts', "import '../eventstoredb/testing/store-on-double.ts'"],
  ])('a breach is found: %s with %s', (path, text) => {
    expect(fixtureBreaches([{ path, text }])).toHaveLength(1)
  })

  test.each([
    ['services/cli/tests/x.test.ts', "import '../testing/folders.ts'"],
    ['services/cli/src/start/x.test.ts', "import '../../testing/folders.ts'"],
    ['services/cli/tests/x.test.ts', "import { Random } from '@svc/testing/random'"],
  ])('what is allowed is let through: %s with %s', (path, text) => {
    expect(fixtureBreaches([{ path, text }])).toEqual([])
  })
})

describe('the rooms of the worker import one way', () => {
  const inWorker = (path: string, from: string) => [
    { path: `services/worker/src/${path}`, text: `import type { A } from '${from}'` },
  ]

  test('in all sources', () => {
    expect(roomBreaches(code)).toEqual([])
  })

  test.each([
    ['grammar/x.ts', '../prompt/template.ts'],
    ['engines/engine.ts', './llama/llama.ts'],
    ['engines/llama/x.ts', '../scripted/scripted-engine.ts'],
    ['engines/llama/x.ts', '../../scheduling/scheduler.ts'],
    ['prefix-cache/x.ts', '../scheduling/sequences/sequence-pool.ts'],
    ['prefix-cache/x.ts', '../settings/settings.ts'],
    ['prompt/families/x.ts', '../../prefix-cache/prefix-cache.ts'],
    ['plans/x.ts', '../grammar/schema/json-schema.ts'],
    ['protocol/x.ts', '../worker-service.ts'],
    ['scheduling/x.ts', '../engines/llama/llama.ts'],
    ['unknown/x.ts', '../process/log.ts'],
  ])('a breach is found: %s with %s', (path, from) => {
    expect(roomBreaches(inWorker(path, from))).toHaveLength(1)
  })

  test.each([
    ['run-worker.ts', './engines/llama/llama.ts'],
    ['scheduling/x.ts', '../engines/engine.ts'],
    ['plans/x.ts', '../grammar/grammar.ts'],
    ['engines/other/x.ts', '../engine.ts'],
    ['scheduling/x.test.ts', '../engines/scripted/scripted-engine.ts'],
  ])('what is allowed is let through: %s with %s', (path, from) => {
    expect(roomBreaches(inWorker(path, from))).toEqual([])
  })
})

describe('a package is entered by its doors', () => {
  const ledger = {
    path: 'services/ledger/package.json',
    name: '@svc/ledger',
    exports: { './ledger': './src/ledger.ts' },
  }
  const gateway = { path: 'services/gateway/package.json', name: '@svc/gateway' }
  const within = (path: string, text = '') => ({ path: `services/${path}`, text })
  const door = within('ledger/src/ledger.ts')
  const user = within('gateway/src/x.ts', "import type { L } from '@svc/ledger/ledger'")

  test('in all sources', () => {
    expect(doorBreaches(code, packages)).toEqual([])
  })

  test('and each is one file that another package imports', () => {
    expect(needlessDoors(code, packages)).toEqual([])
  })

  test.each([
    ['gateway/src/x.ts', "import { a } from '@svc/ledger/writer/writer'", 'no door'],
    ['gateway/src/x.ts', "import { a } from '@svc/ledger/writer'", 'no door'],
    ['gateway/src/x.test.ts', "export * from '@svc/ledger/src/ledger'", 'no door'],
    ['gateway/src/x.ts', "await import('@svc/ledger')", 'no door'],
    ['ledger/src/x.ts', "import '@svc/ledger/ledger'", 'by a path'],
  ])('a breach is found: %s with %s', (path, text, problem) => {
    expect(doorBreaches([within(path, text)], [ledger, gateway]).join()).toContain(problem)
  })

  test('what is allowed is let through', () => {
    expect(doorBreaches([user], [ledger, gateway])).toEqual([])
    expect(needlessDoors([door, user], [ledger, gateway])).toEqual([])
  })

  test.each([
    ['a pattern', { './*': './src/*.ts' }, [door, user], 'is a pattern'],
    ['to no file', ledger.exports, [user], 'leads to no file'],
    ['for nobody', ledger.exports, [door], 'no other package'],
    [
      'for itself',
      ledger.exports,
      [door, { ...user, path: 'services/ledger/src/x.ts' }],
      'no other package',
    ],
  ])('a needless door is found: %s', (_what, exports, sources, problem) => {
    expect(needlessDoors(sources, [{ ...ledger, exports }]).join()).toContain(problem)
  })

  test('Node and the compiler know no way around: the gateway cannot import the writer', () => {
    const gatewayFile = new URL('../services/gateway/package.json', import.meta.url)
    const resolve = createRequire(gatewayFile).resolve
    expect(resolve('@svc/ledger/ledger')).toMatch(/ledger\.ts$/)
    for (const inside of ['writer', 'writer/writer', 'src/writer/writer.ts']) {
      const refused = expect.objectContaining({ code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' })
      expect(() => resolve(`@svc/ledger/${inside}`)).toThrow(refused)
    }
    // @ts-expect-error: with a door to the writer, this line would fail the check of types.
    type Writer = import('@svc/ledger/writer/writer').AccountWriter
    expect<Writer | undefined>(undefined).toBeUndefined()
  })
})

describe('money is never a number', () => {
  test('in all sources', () => {
    expect(moneyAsNumber(code)).toEqual([])
  })

  test.each([
    'interface A { readonly amount: number }',
    'interface A { balanceAfter?: number | null }',
    'type A = { holds: readonly number[] }',
    'const pay = (debit: number): void => {}',
    'function f({ a }: { price: number }) {}',
    'class A { credit: number }',
    'function costOf(a: bigint): number { return 1 }',
    'const totalCost = (a: bigint): number => 1',
    'interface A { balance(): Promise<number> }',
    'const a = Number(row.amount)',
    'const a = Number(amount / 1000n)',
    'const a = Number.parseFloat(price)',
    "const a = parseFloat(held + '')",
    'const a = balance as unknown as number',
    'const a = z.object({ amount: z.number().min(0) })',
    'const a = z.object({ max_price: z.int() })',
  ])('a breach is found: %s', (text) => {
    expect(moneyAsNumber([{ path: 'services/gateway/src/x.ts', text }])).not.toEqual([])
  })

  test.each([
    'interface A { readonly amount: bigint; holdCount: number; priceMadeAt: number }',
    'interface A { tokens: number }',
    'const a = z.object({ price: z.object({ tokens: z.int() }) })',
    'const a = Number(tokens)',
    'const affordableTokens = Number(available / price.output)',
    'function costOf(tokens: number): bigint { return 1n }',
  ])('what is allowed is let through: %s', (text) => {
    expect(moneyAsNumber([{ path: 'services/gateway/src/x.ts', text }])).toEqual([])
  })
})

describe('the domain is pure', () => {
  test('in all sources', () => {
    expect(impurities(code)).toEqual([])
  })

  test.each([
    'const a = Date.now()',
    'const a = new Date()',
    'const a = performance.now()',
    'setTimeout(f, 1)',
    'setInterval(f, 1)',
    'const a = Math.random()',
    "const a = Math['random']()",
    'const a = process.env.HOME',
    'const a = { process }',
    'const a = crypto.randomUUID()',
    'await fetch(a)',
    'const a = globalThis.Date',
    "import { randomBytes } from 'node:crypto'",
    "import { hash, randomUUID } from 'node:crypto'",
    "import * as crypto from 'node:crypto'",
    "import { readFileSync } from 'node:fs'",
    "import net from 'node:net'",
    "const a = await import('node:os')",
  ])('a breach is found: %s', (text) => {
    expect(impurities([{ path: 'services/ledger/src/account/x.ts', text }])).not.toEqual([])
    expect(impurities([{ path: 'services/ledger/src/writer/writer.ts', text }])).toEqual([])
  })

  test.each([
    "import { hash } from 'node:crypto'",
    'const a = Math.max(1, 2)',
    'const a = event.process',
    'const a = { performance: 1 }',
  ])('what is allowed is let through: %s', (text) => {
    expect(impurities([{ path: 'services/ledger/src/account/x.ts', text }])).toEqual([])
  })
})

describe('every named crash point is a place in the product', () => {
  const path = 'services/gateway/src/x.ts'

  test('in all sources', () => {
    expect(crashPointBreaches(code, crashPoints)).toEqual([])
  })

  test.each([
    ['a name that is reached nowhere', "reach('b.before')", ['a.before is reached nowhere']],
    ['another name', "reach('a.before'); ports.reach('c.x')", [`${path}:1 reaches c.x`]],
    ['a private field', "reach('a.before'); this.#reachCrashPoint('c.x')", ['c.x']],
    ['a name that a run makes up', "reach('a.before'); reach(name)", ['what only a run can tell']],
  ])('a breach is found: %s', (_what, text, problems) => {
    const names = text.includes('b.before') ? ['a.before', 'b.before'] : ['a.before']
    const found = crashPointBreaches([{ path, text }], names)
    expect(found).toHaveLength(problems.length)
    for (const [index, problem] of problems.entries()) expect(found[index]).toContain(problem)
  })

  test('what is reached in a test does not count', () => {
    const planted = { path: 'services/gateway/src/x.test.ts', text: "reach('a.before')" }
    expect(crashPointBreaches([planted], ['a.before'])).toEqual(['a.before is reached nowhere'])
  })
})

describe('the pages about the tree', () => {
  /** Of the repository: each begins with one of its folders. */
  const pathsOf = (page: string) =>
    [...page.matchAll(/`((?:contracts|projections|infra|services|tests|docs)\/[\w./-]*)`/g)].map(
      ([, path = '']) => path,
    )
  const missing = (page: string) =>
    pathsOf(page).filter((path) => !existsSync(join(workspaceRoot, path)))
  const walksOf = (page: string) =>
    (page.split('## Three walks')[1] ?? '')
      .split('\n## ')[0]
      ?.split(/^\d\. /m)
      .slice(1) ?? []
  /** A file that is passed twice is one file. */
  const namesakes = (walk: string) =>
    Object.entries(Object.groupBy(new Set(pathsOf(walk)), (path) => basename(path)))
      .filter(([, paths = []]) => paths.length > 1)
      .map(([name]) => name)

  const read = (page: string) => readFileSync(join(workspaceRoot, page), 'utf8')

  test.each([
    ['docs/explanation/architecture.md', 60],
    ['docs/explanation/words.md', 35],
    ['CONTRIBUTING.md', 20],
  ])('%s names only what is there', (page, pathsMin) => {
    expect(pathsOf(read(page)).length).toBeGreaterThan(pathsMin)
    expect(missing(read(page))).toEqual([])
  })

  test('no two files of a walk have one name', () => {
    const walks = walksOf(read('docs/explanation/architecture.md'))
    expect(walks).toHaveLength(3)
    expect(walks.flatMap(namesakes)).toEqual([])
    expect(namesakes('`infra/x/limits.ts` → `infra/y.ts` → `contracts/src/limits.ts`')).toEqual([
      'limits.ts',
    ])
  })

  test('a breach is found', () => {
    const page = 'see `services/gateway/src/life.ts` and `services/gateway/src/request/life.ts`'
    expect(missing(page)).toEqual(['services/gateway/src/life.ts'])
  })
})
