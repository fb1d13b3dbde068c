/**
 * The pages take names, paths and types out of the contracts and check nothing: the server does.
 * So they get the operations without their schemas, and no zod, which were a quarter of what a
 * first visit loads.
 */
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

const CONTRACTS = fileURLToPath(new URL('../../../contracts/src', import.meta.url))
/** What a caller needs to know of an operation. */
const CALLED_BY = ['method', 'path', 'answer', 'role'] as const
const tables: ReadonlyMap<string, string> = new Map([
  [join(CONTRACTS, 'dashboard', 'operations.ts'), 'dashboardOperations'],
  [join(CONTRACTS, 'admin', 'operations.ts'), 'adminOperations'],
])
const NO_ZOD = '\0no-zod'
/** What makes a schema makes nothing, and what would check by one throws. */
const noZod = `
const checks = /^(safe)?(parse|decode|encode)(Async)?$/i
export const z = new Proxy(() => {}, {
  apply: () => z,
  get: (_, name) => {
    if (checks.test(String(name))) throw new Error('the pages check nothing: the server does')
    return name === Symbol.toPrimitive ? () => '' : z
  },
})`

export function declaredOperations(): Plugin {
  return {
    name: 'svc-declared-operations',
    enforce: 'pre',
    resolveId: (source) => (source === 'zod' ? NO_ZOD : undefined),
    async load(id) {
      if (id === NO_ZOD) return noZod
      const name = tables.get(id)
      if (name === undefined) return undefined
      const module = (await import(pathToFileURL(id).href)) as Record<string, Operations>
      return `export const ${name} = ${JSON.stringify(callable(module[name] ?? {}))}`
    },
  }
}

type Operations = Readonly<Record<string, Readonly<Record<string, unknown>>>>

function callable(operations: Operations): Operations {
  const pick = (operation: Operations[string]) =>
    Object.fromEntries(CALLED_BY.map((field) => [field, operation[field]]))
  return Object.fromEntries(Object.entries(operations).map(([name, each]) => [name, pick(each)]))
}
