import { readFileSync } from 'node:fs'
import { ManualTime } from '@svc/testing/manual-time'
import { describe, expect, it } from 'vitest'
import { type MemoryFile, MemoryFiles } from './memory-files.ts'

const KEPT_MS = 600_000
const SPARE_BYTES_MAX = 256 * 1024 ** 2

describe('files for the runtime', () => {
  it('are found by their path while they are open', async () => {
    const { files } = filesOfTest()
    const file = await files.open()
    await file.handle.write('a state')
    expect(readFileSync(file.path, 'utf8')).toBe('a state')
    await file.close()
    expect(() => readFileSync(file.path)).toThrow()
    await files.close()
  })
})

describe('a file that was filled before', () => {
  it('is the one that was closed last, with what it held', async () => {
    const { files, openFilled } = filesOfTest()
    const first = await openFilled('long state')
    await first.close()
    const second = await files.openUsed()
    expect(second.handle).toBe(first.handle)
    expect(readFileSync(second.path, 'utf8')).toBe('long state')
    await files.close()
    await second.close()
  })

  it('is never one that is still open', async () => {
    const { files, openFilled } = filesOfTest()
    const [first, second] = [await openFilled('one'), await openFilled('two')]
    expect(second.handle).not.toBe(first.handle)
    await first.close()
    await second.close()
    expect([first, second].map(isOpen)).toEqual([true, false])
    await files.close()
  })

  it('is let go after ten minutes without use', async () => {
    const { time, openFilled } = filesOfTest()
    const file = await openFilled('state')
    await file.close()
    await time.advance(KEPT_MS - 1)
    expect(isOpen(file)).toBe(true)
    await time.advance(1)
    await expect.poll(() => isOpen(file)).toBe(false)
  })

  it('is let go at once when it is large, or when nothing more comes', async () => {
    const { files, openFilled } = filesOfTest()
    const large = await openFilled('')
    await large.handle.truncate(SPARE_BYTES_MAX + 1)
    await large.close()
    expect(isOpen(large)).toBe(false)
    const [kept, late] = [await openFilled('state'), await openFilled('state')]
    await kept.close()
    await files.close()
    await late.close()
    expect([kept, late].map(isOpen)).toEqual([false, false])
  })
})

function filesOfTest() {
  const time = new ManualTime()
  const files = new MemoryFiles(time)
  const openFilled = async (text: string): Promise<MemoryFile> => {
    const file = await files.openUsed()
    await file.handle.write(text, 0)
    return file
  }
  return { time, files, openFilled }
}

/** A closed handle has no descriptor. */
function isOpen({ handle }: MemoryFile): boolean {
  return handle.fd !== -1
}
