/**
 * Bundles the pages into the folder that is named: a process of its own, which ends with whoever
 * started it. One that is killed leaves no bundler behind that works for nobody.
 *
 *     node services/dashboard/server/bundle.ts FOLDER
 */
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const CONFIG = fileURLToPath(new URL('../vite.config.ts', import.meta.url))

const [, , outDir = ''] = process.argv
process.once('disconnect', () => process.exit(1))
await build({
  configFile: CONFIG,
  configLoader: 'native',
  root: PACKAGE,
  logLevel: 'warn',
  build: { outDir },
})
// The channel to its parent would keep it.
process.exit()
