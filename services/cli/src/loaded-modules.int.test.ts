/** A command loads what it needs: whoever asks for help does not wait for a server. */
import { fileURLToPath } from 'node:url'
import { runToEnd } from '@svc/testing/bounded-run'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const NAMES_LOADED = `
  import module from 'node:module'
  const urls = []
  module.registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
  process.on('exit', () => process.stderr.write(urls.join('\\n')))
`

function loadedBy(...args: string[]): string {
  const hook = `data:text/javascript,${encodeURIComponent(NAMES_LOADED)}`
  const ran = runToEnd(process.execPath, ['--import', hook, main, ...args])
  expect([ran.status, ran.stdout]).toEqual([0, expect.stringContaining('Usage: svc')])
  return ran.stderr
}

test.each([[['--help']], [['start', '--help']], [['start', 'worker', '--help']]])(
  '%j loads neither server nor worker, nor the widths of Unicode',
  (args) => {
    const loaded = loadedBy(...args)
    expect(loaded).toContain('services/cli/src/commands/start-worker.ts')
    expect(loaded).not.toMatch(/fastify|sqlite|pino|node-llama-cpp|grammar/)
    expect(loaded).not.toMatch(/node_modules\/string-width/)
    expect(loaded).not.toMatch(/services\/server\/src\/(roles|core)|services\/ledger/)
  },
)
