/**
 * No process of svc loads the undici that Node.js brings for `fetch` and `WebSocket`: that is 1.6
 * MB of programs, and svc has its own. `infra/http/node-http.ts` says how one comes by it.
 */
import { runToEnd } from '@svc/testing/bounded-run'
import { expect, test } from 'vitest'

const SECOND_UNDICI = 'NativeModule internal/deps/undici/undici'

/** @returns the parts of Node.js that a process has loaded once it has imported `module` */
function loadedWith(module: string): readonly string[] {
  const program = `
    await import(${JSON.stringify(import.meta.resolve(module))})
    process.stdout.write(JSON.stringify(process.moduleLoadList))
    process.exit()
  `
  const ran = runToEnd(process.execPath, ['--input-type=module', '--eval', program])
  expect([ran.status, ran.stderr]).toEqual([0, ''])
  return JSON.parse(ran.stdout) as readonly string[]
}

test.each([
  '@svc/server/roles/all',
  '@svc/worker/run-worker',
  '@svc/worker/supervision/supervisor',
])('%s loads no undici of Node.js', (module) => {
  const loaded = loadedWith(module)
  expect(loaded).toContain('NativeModule _http_server')
  expect(loaded).not.toContain(SECOND_UNDICI)
})

test('a module that imports a value of node:http does', () => {
  const program = 'data:text/javascript,import "node:http"'
  expect(loadedWith(program)).toContain(SECOND_UNDICI)
})
