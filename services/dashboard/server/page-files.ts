/** The built files in memory, with what a browser is told about each. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const compress = promisify(gzip)

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const ONE_YEAR_SECONDS = 31_536_000

export interface PageFile {
  readonly body: Buffer
  readonly gzipped: Buffer
  readonly contentType: string
  readonly cacheControl: string
  readonly etag: string
}

/** @returns each file by its path below the folder, such as `assets/index-B5K2.js` */
export async function pageFilesOf(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && extname(entry.name) in contentTypes)
    .map((entry) => join(entry.parentPath, entry.name))
  const files = paths.map(async (path) => {
    const name = relative(folder, path).replaceAll(sep, '/')
    return [name, await pageFile(name, await readFile(path))] as const
  })
  return new Map(await Promise.all(files))
}

async function pageFile(name: string, body: Buffer): Promise<PageFile> {
  return {
    body,
    gzipped: await compress(body),
    contentType: contentTypes[extname(name)] ?? 'application/octet-stream',
    cacheControl: cacheControlOf(name),
    etag: `"${createHash('sha256').update(body).digest('base64url')}"`,
  }
}

/** The bundler puts a hash of the content into the names of its assets: those never change. */
function cacheControlOf(name: string): string {
  if (name.startsWith('assets/')) return `public, max-age=${ONE_YEAR_SECONDS}, immutable`
  return name === 'index.html' ? 'no-store' : 'no-cache'
}
