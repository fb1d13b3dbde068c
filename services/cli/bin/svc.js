#!/usr/bin/env -S node --
// Runs svc on the Node that npm installed beside it, whatever Node started this file: so this file
// alone is plain JavaScript that Node 20 understands. "--" before it keeps Node from taking options
// of svc, such as --env-file, for its own.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED_MAJOR = 26
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

// Stripping the types of every file costs half a second, so the result is kept, for the worker's
// process as well. Beside the packages and not in the shared temporary folder, where others could
// write.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../../../.cache/compiled', import.meta.url),
)

if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
  await import(main)
} else {
  runOn(bundledNode())
}

function bundledNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  for (let folder = dirname(main); folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', '.bin', name)
    if (existsSync(candidate)) return candidate
  }
  process.stderr.write(
    `svc needs Node ${NEEDED_MAJOR} or newer, this is ${process.version}, and npm installed none for ` +
      `${process.platform}-${process.arch}. Run "npm install" again, or install Node ${NEEDED_MAJOR}.\n`,
  )
  process.exit(2)
}

function runOn(node) {
  // One thread less than there are cores collects garbage: four take both of a small machine.
  // Memory is given back early: docs/decisions/0092-memory-at-the-start.md.
  // kafkajs sets timers below zero, which Node would warn of.
  const flags = [
    '--disable-sigusr1',
    '--v8-pool-size=0',
    '--max-semi-space-size=16',
    '--heap-growing-percent=40',
    '--disable-warning=TimeoutNegativeWarning',
  ]
  const env = { MALLOC_ARENA_MAX: '2', ...process.env }
  const child = spawn(node, [...flags, '--', main, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env,
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.kill(process.pid, signal)
  })
}
