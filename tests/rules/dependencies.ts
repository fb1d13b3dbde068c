/** Every dependency has a reason, and none runs code when it is installed. */
import type { Manifest } from './workspace.ts'

export interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly os?: readonly string[]
  readonly engines?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/** Packages that would run a script on install if scripts were on, and why they need not. */
const needlessScripts: Readonly<Record<string, string>> = {
  'node-llama-cpp': 'builds llama.cpp only where no prebuilt binary package fits',
  protobufjs: 'only compares versions and prints a warning',
  ssh2: 'compiles a faster cipher that it works without; nothing here speaks SSH',
  'cpu-features': 'optional, for ssh2',
  fsevents: 'optional, of macOS only; ships its binary',
}

const REASON = /^- `([^`]+)`: .{20,}/

export function directDependencies(manifests: readonly Manifest[]): readonly string[] {
  const names = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  )
  return [...new Set(names)].filter((name) => !name.startsWith('@svc/')).sort()
}

/** The dependencies that a page of `` - `name`: reason `` lines explains. */
export function explainedDependencies(page: string): readonly string[] {
  return page
    .split('\n')
    .flatMap((line) => REASON.exec(line)?.[1] ?? [])
    .sort()
}

export function unpinnedVersions(manifests: readonly Manifest[]): readonly string[] {
  return manifests.flatMap(({ path, dependencies, devDependencies, optionalDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
      .filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
      .map(([name, version]) => `${path}: ${name} ${version}`),
  )
}

/** Packages of which two packages of the workspace ask for different versions. */
export function disagreeingVersions(manifests: readonly Manifest[]): readonly string[] {
  const asked = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  )
  const versions = Map.groupBy(asked, ([name]) => name)
  return [...versions]
    .filter(([, entries]) => new Set(entries.map(([, version]) => version)).size > 1)
    .map(([name]) => name)
}

export function neededInstallScripts(lockfile: Lockfile): readonly string[] {
  return Object.entries(lockfile.packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => nameOf(path))
    .filter((name) => !(name in needlessScripts))
}

/** Whoever installs decides from where: the lockfile says what, by hash, and no address. */
export function downloadAddresses(lockfile: Lockfile): readonly string[] {
  return Object.entries(lockfile.packages)
    .filter(([, { resolved }]) => resolved !== undefined && /^[a-z+]+:\/\//.test(resolved))
    .map(([path, { resolved }]) => `${path} comes from ${resolved}`)
}

/**
 * Packages that are downloaded without a hash to check them by. Binaries of other platforms are let
 * through: a registry that lacks them when the lockfile is written leaves only their version known.
 */
export function uncheckedPackages(lockfile: Lockfile): readonly string[] {
  const entries = Object.entries(lockfile.packages)
  const local = new Set(entries.flatMap(([, { link, resolved }]) => (link ? [resolved] : [])))
  return entries
    .filter(([path, { link }]) => path.includes('node_modules/') && !link && !local.has(path))
    .filter(([, { integrity, os }]) => integrity === undefined && os === undefined)
    .map(([path]) => nameOf(path))
}

/**
 * Packages for which npm may print `EBADENGINE`: it compares what they demand with the Node that
 * npm runs on, and they run on the one that npm installs.
 */
export function engineDemands({ packages }: Lockfile): readonly string[] {
  return Object.entries(packages)
    .filter(([path, { engines }]) => path.includes('node_modules/') && engines !== undefined)
    .map(([path]) => nameOf(path))
}

/**
 * Optional packages that the lockfile lacks: `npm ci` refuses it, and other platforms miss them.
 */
export function forgottenPackages({ packages }: Lockfile): readonly string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !foldersAbove(path).some((folder) => `${folder}node_modules/${name}` in packages),
    ),
  )
}

const gpuPackage = /@node-llama-cpp\/.*(cuda|vulkan)/

/** GPU binaries (600 MB) that an install would load: each must be a link to the empty package. */
export function downloadedGpuBinaries({ packages }: Lockfile): readonly string[] {
  return Object.entries(packages)
    .filter(([path, { link }]) => gpuPackage.test(path) && link !== true)
    .map(([path]) => nameOf(path))
}

/** The versions of the packages that bring Node, which must be one. */
export function nodeVersions(manifests: readonly Manifest[]): readonly string[] {
  const versions = manifests.flatMap(({ optionalDependencies }) =>
    Object.entries(optionalDependencies ?? {})
      .filter(([name]) => /^node-(bin-)?(linux|darwin|win)-/.test(name))
      .map(([, version]) => version),
  )
  return [...new Set(versions)]
}

/** Where Node looks for the packages of a package, each with its slash: its own folder first. */
function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/node_modules/')
  const above = parts.map((_, index) => `${parts.slice(0, index + 1).join('/node_modules/')}/`)
  return ['', ...above]
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
