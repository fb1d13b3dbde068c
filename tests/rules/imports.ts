/**
 * Imports point one way: contracts ← ledger, projections, infra ← services. A package imports only
 * what its own manifest names, and another package only by its name.
 */
import { posix } from 'node:path'
import { type Import, importsOf } from './syntax.ts'
import { isTestCode, type Manifest, type SourceFile } from './workspace.ts'

/** Each package's folder, and the packages of the workspace that its product code may import. */
const layers: Readonly<Record<string, readonly string[]>> = {
  contracts: [],
  'services/ledger': ['contracts'],
  projections: ['contracts'],
  infra: ['contracts'],
  'services/gateway': ['contracts', 'ledger', 'projections', 'infra'],
  'services/worker': ['contracts', 'infra'],
  'services/operator': ['contracts', 'ledger', 'projections', 'infra', 'identity'],
  'services/relay': ['contracts'],
  'services/identity': ['contracts', 'ledger', 'infra'],
  'services/dashboard': ['contracts'],
  'services/server': [
    ...['contracts', 'ledger', 'projections', 'infra'],
    ...['dashboard', 'gateway', 'identity', 'operator', 'relay', 'worker'],
  ],
  'services/cli': ['contracts', 'infra', 'operator', 'server', 'worker'],
  'tests/support': [],
}

/** Modules that only certain places may import, so that they can be replaced there. */
const reserved: readonly (readonly [module: string, places: RegExp])[] = [
  ['node-llama-cpp', /^services\/worker\/(src\/engines\/llama|testing\/gpu|bench)\//],
  ['node:sqlite', /^(infra|projections|services\/cli\/testing)\//],
  ['kafkajs', /^infra\/bus\/kafka\//],
  ['ioredis', /^infra\/prefix-store\/redis\//],
  ['prom-client', /^services\/operator\/src\/metrics\//],
  [
    '@eventstore/db-client',
    new RegExp(
      '^(infra/event-store/eventstoredb/(client/[\\w-]+|messages/[\\w-]+\\.test)|' +
        'tests/support/eventstoredb/[\\w-]+)\\.ts$',
    ),
  ],
]

/** Recipes that are run by hand and examples, apart from the product, with own dependencies. */
const recipes = /^(infra\/demo-model\/training|examples)\//

const SCOPE = '@svc/'

export function importBreaches(
  files: readonly SourceFile[],
  manifests: readonly Manifest[],
): readonly string[] {
  const product = files.filter(({ path }) => !recipes.test(path))
  return product.flatMap((file) =>
    importsOf(file).flatMap((found) =>
      [
        layerBreach(file, found),
        reservedBreach(file, found),
        undeclaredBreach(file, found, manifests),
        outsideBreach(file, found),
      ].flatMap((problem) =>
        problem === undefined
          ? []
          : [`${file.path}:${found.line} imports ${found.from}: ${problem}`],
      ),
    ),
  )
}

function layerBreach(file: SourceFile, { from }: Import): string | undefined {
  const folder = packageFolder(file.path)
  if (folder === undefined || isTestCode(file) || !from.startsWith(SCOPE)) return undefined
  const target = from.slice(SCOPE.length).split('/')[0] ?? ''
  const allowed = layers[folder] ?? []
  if (allowed.includes(target)) return undefined
  return `${folder} may import ${allowed.join(', ') || 'no other package'}`
}

function reservedBreach({ path }: SourceFile, { from }: Import): string | undefined {
  const rule = reserved.find(([module]) => from === module || from.startsWith(`${module}/`))
  return rule === undefined || rule[1].test(path) ? undefined : `only ${rule[1].source} may`
}

function undeclaredBreach(
  file: SourceFile,
  { from }: Import,
  manifests: readonly Manifest[],
): string | undefined {
  const folder = packageFolder(file.path)
  if (from.startsWith('.') || from.startsWith('node:')) return undefined
  const root = manifests.find(({ path }) => path === 'package.json')
  const own = manifests.find(({ path }) => path === `${folder}/package.json`)
  const names = new Set(Object.keys({ ...own?.dependencies, ...own?.devDependencies }))
  if (folder === undefined || isTestCode(file)) {
    for (const name of Object.keys({ ...root?.devDependencies, ...root?.dependencies }))
      names.add(name)
    if (from.startsWith(SCOPE)) return undefined
  }
  return names.has(packageName(from)) ? undefined : 'not in the package.json of its package'
}

function outsideBreach({ path }: SourceFile, { from }: Import): string | undefined {
  const folder = packageFolder(path)
  if (folder === undefined || !from.startsWith('.')) return undefined
  const target = posix.join(posix.dirname(path), from)
  return target.startsWith(`${folder}/`)
    ? undefined
    : 'another package is imported by its name, not by a path'
}

function packageFolder(path: string): string | undefined {
  return Object.keys(layers).find((folder) => path.startsWith(`${folder}/`))
}

function packageName(from: string): string {
  return from.split('/', from.startsWith('@') ? 2 : 1).join('/')
}
