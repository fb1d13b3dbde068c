import { MessageChannel } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { type CallPort, ThreadCalls } from './thread-calls.ts'

class AwayError extends Error {
  override readonly name = 'AwayError'
}

type Log = { read(asked: { page: number }): Promise<string> }
type Builder = { build(asked: { pages: readonly number[] }): Promise<string> }

/** Makes two sides in one thread: the builder reads pages of the log on the other side. */
function twoSides(read: (page: number) => Promise<string>): ThreadCalls<Builder> {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => {
    port1.close()
    port2.close()
  })
  const log = new ThreadCalls<Log>(port2 as unknown as CallPort, {
    async build({ pages }: { pages: readonly number[] }) {
      let built = ''
      for (const page of pages) built += await log.call('read', { page })
      return built
    },
  })
  return new ThreadCalls<Builder>(port1 as unknown as CallPort, {
    read: ({ page }: { page: number }) => read(page),
  })
}

test('a call is answered, with what the other side asks for on the way', async () => {
  const builder = twoSides(async (page) => `${page};`)
  expect(await builder.call('build', { pages: [1, 2, 3] })).toBe('1;2;3;')
})

test('an error that comes back to the side that has thrown it is the same one', async () => {
  const away = new AwayError('the log is away')
  const builder = twoSides(async (page) => {
    if (page > 1) throw away
    return `${page};`
  })
  await expect(builder.call('build', { pages: [1, 2] })).rejects.toBe(away)
  // This holds also after more failures than are kept.
  for (let times = 0; times < 40; times += 1) {
    await expect(builder.call('build', { pages: [2] })).rejects.toBe(away)
  }
})

test('an error of the other side has its name, its message and the marks of a disk', async () => {
  const full = Object.assign(new AwayError('the disk is full'), { errcode: 13, syscall: 'write' })
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  new ThreadCalls<Log>(port2 as unknown as CallPort, {
    async build() {
      throw full
    },
  })
  const builder = new ThreadCalls<Builder>(port1 as unknown as CallPort, {})
  const failure = await builder.call('build', { pages: [] }).catch((error: unknown) => error)
  expect(failure).not.toBe(full)
  expect(failure).toMatchObject({
    name: 'AwayError',
    message: 'the disk is full',
    errcode: 13,
    syscall: 'write',
  })
})
