/** The files and packages of the workspace, as the tests of its rules see them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface SourceFile {
  /** From the root of the workspace, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface Manifest {
  readonly path: string
  readonly name: string
  readonly workspaces?: readonly string[]
  /** Its doors: what others import, and the file behind it. */
  readonly exports?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export const workspaceRoot = fileURLToPath(new URL('../..', import.meta.url))

/** What npm, the tools and the running service write, and git ignores. */
const ignoredFolders = new Set([
  ...['node_modules', '.git', 'data', '.turbo', '.cache'],
  ...['.venv', '__pycache__'],
])
const ignoredFiles = /\.log$/
const textFiles = /\.(ts|tsx|js|mjs|json|md|yml|yaml|sh|py|sql|html|css|toml|txt)$|(^|\/)[^.]+$/
const code = /\.(tsx?|js|mjs)$/
const testCode = /\.(test|suite)\.ts$|(^|\/)(tests|testing|compliance|bench)\//

/** Every text file that belongs to the project. */
export function textFilesOfWorkspace(): readonly SourceFile[] {
  return walk(workspaceRoot)
    .filter((path) => textFiles.test(path) && !ignoredFiles.test(path))
    .map((path) => ({ path, text: readFileSync(join(workspaceRoot, path), 'utf8') }))
}

/** Programs for users to copy, with dependencies of their own, apart from the product's. */
export const isExample = ({ path }: SourceFile): boolean => path.startsWith('examples/')

export const isCode = ({ path }: SourceFile): boolean => code.test(path)

/** Tests, suites, their fixtures and benches: they may reach across layers and read clocks. */
export const isTestCode = ({ path }: SourceFile): boolean => testCode.test(path)

/** Of the packages of the workspace. */
export function manifests(files: readonly SourceFile[]): readonly Manifest[] {
  return files
    .filter((file) => !isExample(file))
    .filter(({ path }) => path === 'package.json' || path.endsWith('/package.json'))
    .map(({ path, text }) => ({ ...JSON.parse(text), path }))
}

function walk(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ignoredFolders.has(entry.name) ? [] : walk(path)
    return entry.isFile() ? [relative(workspaceRoot, path).replaceAll('\\', '/')] : []
  })
}
