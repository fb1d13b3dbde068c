/** The pages as they are built and served. */

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { runToEnd } from '@svc/testing/bounded-run'
import { eventually } from '@svc/testing/eventually'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import Fastify from 'fastify'
import { pino } from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { builtPages } from '../server/build.ts'
import { openPages } from '../server/pages.ts'

const KIB = 1024
const BUDGETS_KIB = { initialScripts: 130, lazyRoute: 40, styles: 15 }

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly isDynamicEntry?: boolean
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

let folder: string

beforeAll(async () => {
  folder = await builtPages({ signal: new AbortController().signal })
})

const kibOf = (file: string) =>
  gzipSync(readFileSync(join(folder, file)), { level: 9 }).length / KIB

/** @throws while it has none */
function childOf(parent: number | undefined): number {
  const { status, stdout } = runToEnd('pgrep', ['-P', String(parent)])
  if (status !== 0) throw new Error('there is no child')
  return Number(stdout.trim())
}

/** A chunk and all that it imports, each once. */
function withImports(
  chunks: Readonly<Record<string, Chunk>>,
  name: string,
  seen = new Set<string>(),
): ReadonlySet<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const each of chunks[name]?.imports ?? []) withImports(chunks, each, seen)
  return seen
}

test('the budgets of the pages hold: UX-63', () => {
  const text = readFileSync(join(folder, 'manifest.json'), 'utf8')
  const chunks = JSON.parse(text) as Record<string, Chunk>
  const entry = Object.keys(chunks).find((name) => chunks[name]?.isEntry) ?? ''
  const initial = withImports(chunks, entry)
  const sizeOf = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + kibOf(chunks[name]?.file ?? ''), 0)
  expect(sizeOf(initial)).toBeLessThanOrEqual(BUDGETS_KIB.initialScripts)
  const lazy = Object.keys(chunks).filter((name) => chunks[name]?.isDynamicEntry)
  expect(lazy.length).toBeGreaterThan(8)
  for (const name of lazy) {
    const own = withImports(chunks, name).difference(initial)
    expect(sizeOf(own), name).toBeLessThanOrEqual(BUDGETS_KIB.lazyRoute)
  }
  const styles = readdirSync(join(folder, 'assets')).filter((file) => file.endsWith('.css'))
  const kib = styles.reduce((sum, file) => sum + kibOf(join('assets', file)), 0)
  expect(kib).toBeLessThanOrEqual(BUDGETS_KIB.styles)
})

test('a second build of the same sources is the first one', async () => {
  const cache = temporaryFolder()
  const signal = new AbortController().signal
  const [one, other] = await Promise.all([
    builtPages({ cache, signal }),
    builtPages({ cache, signal }),
  ])
  expect(other).toBe(one)
  expect(await builtPages({ cache, signal })).toBe(one)
  expect(readdirSync(cache)).toHaveLength(1)
})

test('a build that is ended leaves nothing behind', async () => {
  const cache = temporaryFolder()
  await expect(builtPages({ cache, signal: AbortSignal.abort() })).rejects.toThrow()
  expect(readdirSync(cache)).toEqual([])
})

test('the bundler of a server that was killed ends, and what it left is removed', async () => {
  const cache = temporaryFolder()
  const build = pathToFileURL(join(import.meta.dirname, '../server/build.ts')).href
  const script = `
    const { builtPages } = await import(${JSON.stringify(build)})
    await builtPages({ cache: process.argv[1], signal: new AbortController().signal })`
  const server = spawn(process.execPath, ['--input-type=module', '-e', script, cache])
  const bundler = await eventually(() => childOf(server.pid))
  server.kill('SIGKILL')
  await eventually(() => expect(() => process.kill(bundler, 0)).toThrow('ESRCH'))

  const [left = ''] = readdirSync(cache)
  expect(readdirSync(join(cache, left)), 'built for nobody').toEqual([])
  const { signal } = new AbortController()
  utimesSync(join(cache, left), 0, 0)
  await builtPages({ cache, signal })
  expect(readdirSync(cache)).not.toContain(left)
})

test('what is served says how long it holds, and what it may load', async () => {
  const app = Fastify()
  const pages = openPages({ logger: pino({ level: 'silent' }) })
  app.register(pages.routes, { prefix: '/dashboard' })
  const get = (url: string, headers = {}) => app.inject({ url, headers })

  const page = await get('/dashboard/accounts/acct_1/keys')
  expect(page.headers['cache-control']).toBe('no-store')
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'self';/)
  expect(page.headers['content-security-policy']).not.toContain('unsafe')
  expect(page.body).not.toMatch(/<script(?![^>]* src=)/)
  expect((await get('/dashboard')).body).toBe(page.body)

  const script = /src="(\/dashboard\/assets\/[^"]+)"/.exec(page.body)?.[1] ?? ''
  const asset = await get(script, { 'accept-encoding': 'gzip' })
  expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(asset.headers['content-encoding']).toBe('gzip')
  const again = await get(script, { 'if-none-match': asset.headers.etag })
  expect(again.statusCode).toBe(304)

  for (const path of ['api/session', 'assets/none.js', 'none.js', '../package.json']) {
    expect((await get(`/dashboard/${path}`)).statusCode, path).toBeGreaterThanOrEqual(400)
  }
  await pages.close()
  await app.close()
})
