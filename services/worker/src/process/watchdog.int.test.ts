/** A worker that hangs ends itself and is started again, wherever it hangs. */
import { spawn } from 'node:child_process'
import { user, WorkerClient } from '@svc/testing/protocol-client'
import { afterEach, describe, expect, it } from 'vitest'
import { type Supervised, superviseWorker } from '../supervision/supervisor.ts'

const HANG_MS = 1000
const GRACE_MS = 5000
/** Branches of each level; all begin alike, and each draw follows all of all levels. */
const BRANCHES = 60

let supervised: Supervised | undefined
afterEach(async () => {
  await supervised?.stop(GRACE_MS)
})

/** A grammar that no schema is compiled to: one draw under it takes minutes. */
const ambiguous = [
  'root ::= a',
  ...['a', 'b', 'c'].map((name, level) => {
    const next = ['b', 'c', '[0-9]*'][level]
    const branches = Array.from({ length: BRANCHES }, (_, index) => `"[" ${next} "${index}"`)
    return `${name} ::= ${branches.join(' | ')}`
  }),
  '',
].join('\n')

describe('a worker that hangs', () => {
  it('in a draw of the runtime ends itself, with all its answers', async () => {
    const messages: string[] = []
    supervised = superviseWorker({
      workerId: 'worker-test',
      modelArguments: ['--model', 'demo', '--sequences', '2'],
      env: { SVC_WORKER_HANG_MS: String(HANG_MS) },
      log: (_level, message) => messages.push(message),
    })
    await supervised.ready()
    const firstPid = supervised.pid
    const client = new WorkerClient(supervised.address)
    const plain = await client.request([user('Tell me a joke')], { maxOutputTokens: 4000 })
    const innocent = await client.open(plain)
    const plan = { grammar: ambiguous, grammarFrom: 'answer', callable: [] } as const
    const bomb = await client.open({
      ...(await client.request([user('any')])),
      plan: { ...plan, callable: [], mustCall: false },
    })
    const types: string[] = []
    for await (const event of bomb.events) types.push(event.type)
    for await (const event of innocent.events) types.push(event.type)
    expect(types).not.toContain('done')
    const isBack = () => supervised?.pid !== firstPid && supervised?.state === 'ready'
    await expect.poll(isBack).toBe(true)
    expect(messages).toContain('worker hangs, exiting')
    expect((await client.generate([user('What is the capital city of Norway?')])).text).toContain(
      'Oslo',
    )
  })

  it('in its main thread ends itself, also when nobody supervises it', async () => {
    const watchdog = new URL('watchdog.ts', import.meta.url).href
    const watch = new URL('runtime-watch.ts', import.meta.url).href
    const script = `
      const { startWatchdog } = await import(${JSON.stringify(watchdog)})
      const { RuntimeWatch } = await import(${JSON.stringify(watch)})
      startWatchdog(new RuntimeWatch(), ${HANG_MS})
      await new Promise((resolve) => setTimeout(resolve, ${3 * HANG_MS}))
      console.error('calm')
      for (;;);`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script])
    let log = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
    const signal = await new Promise((resolve) => child.on('exit', (_, signal) => resolve(signal)))
    expect(signal).toBe('SIGKILL')
    expect(log).toMatch(/calm\n.*worker hangs, exiting.*main thread/)
  })
})
