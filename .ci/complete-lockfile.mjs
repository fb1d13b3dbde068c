/**
 * Makes package-lock.json right for every machine. Run it after every `npm install` that changes
 * it.
 *
 * - Adds the binary packages of other platforms that the registry in use did not serve when it was
 *   written, by version alone: `npm ci` then agrees with the manifests everywhere, and other
 *   platforms get theirs.
 * - Takes out which Node each package demands: npm compares that with the Node that npm itself runs
 *   on, and on Node 20 warned about every package for newer ones, although all of them run on the
 *   Node that comes with the install. The launcher refuses a Node that is too old for them.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const FILE = new URL('../package-lock.json', import.meta.url)
const EXACT_VERSION = /^\d/

const lock = JSON.parse(readFileSync(FILE, 'utf8'))
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`
    const isThere = lock.packages[place] ?? lock.packages[`${path}/${place}`]
    if (isThere === undefined && EXACT_VERSION.test(version)) {
      lock.packages[place] = forgotten(name, version, entry.dev)
      process.stdout.write(`added ${name} ${version}\n`)
    }
  }
}
// Says that it runs on x64 as well, where it never does: 20 MB that every machine would load.
const arm = lock.packages['node_modules/@node-llama-cpp/linux-arm64']
if (arm !== undefined) arm.cpu = ['arm64']
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path.includes('node_modules/')) delete entry.engines
}
// As npm sorts them, so that its next install leaves the file as it is.
const byName = ([one], [other]) => one.localeCompare(other, 'en')
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(byName))
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`)

function forgotten(name, version, dev) {
  return {
    version,
    cpu: [processorOf(name)],
    ...(dev ? { dev: true } : {}),
    // Of Biome's binaries for Linux the one for glibc is here, the other is for musl.
    ...(/biome.*linux/.test(name) ? { libc: ['musl'] } : {}),
    optional: true,
    os: [systemOf(name)],
  }
}

function systemOf(name) {
  if (name.includes('android')) return 'android'
  if (/darwin|mac/.test(name)) return 'darwin'
  return name.includes('win') ? 'win32' : 'linux'
}

function processorOf(name) {
  if (name.includes('arm64')) return 'arm64'
  return name.includes('riscv64') ? 'riscv64' : 'x64'
}
