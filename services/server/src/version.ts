/** The version of svc, as its package says it. */
import { readFileSync } from 'node:fs'

const manifest = new URL('../../cli/package.json', import.meta.url)
export const VERSION: string = JSON.parse(readFileSync(manifest, 'utf8')).version
