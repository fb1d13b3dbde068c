import { describe, expect, test } from 'vitest'
import { CurrentClient } from './current-client.ts'

function clients(hasLeaderMoved?: () => Promise<boolean>) {
  const log: string[] = []
  let made = 0
  let mayMake = true
  const current = new CurrentClient({
    warn: (_, message) => void log.push(message),
    ...(hasLeaderMoved && { hasLeaderMoved }),
    makeClient: () => {
      if (!mayMake) throw new Error('the file of tlsCAFile cannot be read')
      made += 1
      const number = made
      log.push(`made ${number}`)
      return {
        number,
        isPoisoned: false,
        async retire() {
          log.push(`retires ${number}`)
          await undefined
          log.push(`retired ${number}`)
        },
      }
    },
  })
  return {
    current,
    log,
    setMayMake: (may: boolean) => {
      mayMake = may
    },
  }
}

const inAMoment = () => new Promise((resolve) => setTimeout(resolve, 2))

describe('the client of the process', () => {
  test('is replaced after three rounds of own timers, and has ended before the next', async () => {
    const { current, log } = clients()
    for (let round = 0; round < 3; round += 1) {
      expect((await current.get()).number).toBe(1)
      const sentAt = performance.now()
      await inAMoment()
      current.noteSilence(sentAt)
    }
    expect((await current.get()).number).toBe(2)
    const said = 'reconnecting to the event store'
    expect(log).toEqual(['made 1', said, 'retires 1', 'retired 1', 'made 2'])
  })

  test('stays for appends that ran out of time together, and for those that are answered', async () => {
    const { current } = clients()
    const sentAt = performance.now()
    await inAMoment()
    for (let append = 0; append < 64; append += 1) current.noteSilence(sentAt)
    expect((await current.get()).number).toBe(1)
    for (let round = 0; round < 10; round += 1) {
      const roundSentAt = performance.now()
      await inAMoment()
      current.noteSilence(roundSentAt)
      current.noteAnswer()
    }
    expect((await current.get()).number).toBe(1)
  })

  test('is replaced after one own timer when another node leads by then', async () => {
    let hasMoved = false
    const { current } = clients(async () => hasMoved)
    current.noteSilence(performance.now())
    await inAMoment()
    expect((await current.get()).number).toBe(1)
    hasMoved = true
    await expect.poll(async () => (await current.get()).number).toBe(2)
  })

  test('is replaced after a silent read when another node leads, and not otherwise', async () => {
    let asked = 0
    const staying = clients(async () => {
      asked += 1
      return false
    }).current
    for (let read = 0; read < 10; read += 1) staying.noteSilentRead()
    await expect.poll(() => asked).toBeGreaterThan(1)
    expect((await staying.get()).number).toBe(1)
    await staying.close()
    const { current } = clients(async () => true)
    current.noteSilentRead()
    await expect.poll(async () => (await current.get()).number).toBe(2)
  })

  test('is replaced when it is poisoned, once', async () => {
    const { current } = clients()
    Object.assign(await current.get(), { isPoisoned: true })
    const gotten = await Promise.all([current.get(), current.get(), current.get()])
    expect(gotten.map(({ number }) => number)).toEqual([2, 2, 2])
  })

  test('stays retired while no other can be made, and is replaced when one can', async () => {
    const { current, log, setMayMake } = clients()
    setMayMake(false)
    Object.assign(await current.get(), { isPoisoned: true })
    expect((await current.get()).number).toBe(1)
    expect(log.at(-1)).toBe('failed to reconnect to the event store')
    setMayMake(true)
    expect((await current.get()).number).toBe(2)
  })

  test('is retired at the end, and not replaced any more', async () => {
    const { current, log } = clients()
    const client = await current.get()
    await current.close()
    expect(log.at(-1)).toBe('retired 1')
    Object.assign(client, { isPoisoned: true })
    expect((await current.get()).number).toBe(1)
  })
})
