/** A debugger reads and changes all that a process holds: keys, prompts, credit. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const IS_LINUX = process.platform === 'linux'

test.skipIf(!IS_LINUX).each([
  ['./svc', ['./svc', 'start']],
  ['npm start', ['npm', 'start', '--silent', '--']],
])(
  'SIGUSR1 opens none in the server and its workers: %s',
  async (_what, [command = '', ...words]) => {
    const folder = join(temporaryFolder(), 'data')
    const child = spawn(command, [...words, '--json', '--port', '0', '--data-dir', folder], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const ended = once(child, 'close')
    onTestFinished(() => void child.kill('SIGKILL'))
    const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    const { pid, baseUrl } = JSON.parse(line.value ?? 'null')
    onTestFinished(() => void endIfThere(pid))
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    expect(children.length).toBeGreaterThan(0)
    for (const each of [pid, ...children.map(Number)]) process.kill(each, 'SIGUSR1')
    expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200)
    process.kill(pid, 'SIGTERM')
    await ended
    expect(said).toBe('')
  },
)

function endIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended in order.
  }
}
