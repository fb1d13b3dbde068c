/**
 * Builds the pages when there is no build of exactly these sources yet. So whoever types
 * `npm start` gets pages that match the server, and the repository holds no built files
 * (decision 0025).
 *
 *     node services/dashboard/server/build.ts
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url))
const BUNDLER = fileURLToPath(new URL('bundle.ts', import.meta.url))
/** What the pages are made of: a change in any of it makes another build. */
const SOURCES = [
  ...['index.html', 'vite.config.ts', 'public', 'src'].map((path) => join(PACKAGE, path)),
  join(PACKAGE, 'server', 'declared-operations.ts'),
  join(WORKSPACE, 'contracts', 'src'),
  join(WORKSPACE, 'package-lock.json'),
]
const DEFAULT_CACHE = join(WORKSPACE, '.cache', 'dashboard')
/** The end of what the bundler said: enough to see what was wrong. */
const OUTPUT_CHARACTERS_MAX = 2_000
/** Requests are served meanwhile: they go first. */
const BUILD_NICENESS = 10
const KEY_CHARACTERS = 32
const BUILDING = 'svc-pages-building-'
/** Nobody builds as long as that: the folder was left behind. */
const BUILD_MS_MAX = 3_600_000

export interface BuildOptions {
  /** Where builds are kept. Default: `.cache/dashboard` beside the program. */
  readonly cache?: string
  /** Ends the build, which then rejects. */
  readonly signal: AbortSignal
}

/**
 * @returns the folder of the built pages. Several processes may ask at once: each builds in a
 *   folder of its own, and the first to be done puts it in place.
 * @throws when the bundler fails, with the end of what it said
 */
export async function builtPages({ cache = DEFAULT_CACHE, signal }: BuildOptions): Promise<string> {
  const folder = join(cache, await keyOfSources())
  if (await exists(folder)) return folder
  const place = await writable(cache)
  await removeLeftBehind(place)
  const building = await mkdtemp(join(place, BUILDING))
  try {
    await bundle(building, signal)
    if (place !== cache) return building
    await rename(building, folder)
  } catch (error) {
    await rm(building, { recursive: true, force: true })
    if (!(await exists(folder))) throw error
  }
  return folder
}

async function keyOfSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    for (const path of (await filesIn(source)).toSorted()) {
      hash.update(path.slice(WORKSPACE.length)).update('\0')
      hash.update(await readFile(path)).update('\0')
    }
  }
  return hash.digest('hex').slice(0, KEY_CHARACTERS)
}

async function filesIn(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** The program may lie where it cannot write, as in an image: then each start builds anew. */
async function writable(cache: string): Promise<string> {
  try {
    await mkdir(cache, { recursive: true })
    return cache
  } catch {
    return tmpdir()
  }
}

/** What a server that was killed had begun to build. */
async function removeLeftBehind(place: string): Promise<void> {
  const names = (await readdir(place)).filter((name) => name.startsWith(BUILDING))
  for (const name of names) {
    const { mtimeMs } = await stat(join(place, name)).catch(() => ({ mtimeMs: Infinity }))
    if (Date.now() - mtimeMs < BUILD_MS_MAX) continue
    await rm(join(place, name), { recursive: true, force: true })
  }
}

async function bundle(folder: string, signal: AbortSignal): Promise<void> {
  const bundler = fork(BUNDLER, [folder], {
    cwd: PACKAGE,
    signal,
    env: { ...process.env, NODE_ENV: 'production' },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  if (bundler.pid !== undefined) setPriority(bundler.pid, BUILD_NICENESS)
  const output = outputOf(bundler)
  const [code] = (await once(bundler, 'close')) as [number | null]
  if (code !== 0) throw new Error(`failed to build the dashboard: ${output()}`)
}

function outputOf({ stdout, stderr }: ChildProcess): () => string {
  let text = ''
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text = (text + piece).slice(-OUTPUT_CHARACTERS_MAX)
    })
  }
  return () => text.trim()
}

async function exists(folder: string): Promise<boolean> {
  return stat(join(folder, 'index.html')).then(
    () => true,
    () => false,
  )
}

if (import.meta.main) await builtPages({ signal: new AbortController().signal })
