/** A folder on a disk that was full before anything was started. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StoreBusyError, StoreFullError } from '@svc/contracts/ports/event-store'
import { bareEnvironment } from '@svc/testing/bare-environment'
import { runToEnd } from '@svc/testing/bounded-run'
import { folderWithHistory } from '@svc/testing/data-folders'
import { TinyDisk } from '@svc/testing/tiny-disk'
import { expect, test } from 'vitest'
import { EXIT_OK, EXIT_UNREACHABLE, exitCodeOf } from './context/exit-codes.ts'

const bin = fileURLToPath(new URL('../bin/svc.js', import.meta.url))
const DISK_MEBIBYTES = 6
const KIBIBYTE = 1024

// Each leaves room for the databases before the one that meets the end: that of the texts, one of
// the folder, a table of a view, the index of a view's log.
test.each([[0], [40], [128], [384]])(
  'with %i KiB left a start and a command name the full disk',
  async (kibibytes) => {
    const disk = TinyDisk.mount(DISK_MEBIBYTES)
    if (disk === undefined) return
    const path = join(disk.folder, 'data')
    cpSync((await folderWithHistory()).path, path, { recursive: true })
    disk.fill(kibibytes * KIBIBYTE)
    const ended = (words: readonly string[]) =>
      runToEnd(process.execPath, [bin, '--data-dir', path, ...words], { env: bareEnvironment() })
    for (const words of [['start', '--port', '0', '--json'], ['verify']]) {
      const { stderr, status } = ended(words)
      // The most of these is enough to verify, with views that get as far as they can.
      if (status === EXIT_OK && words[0] === 'verify') continue
      expect(stderr).toMatch(/^svc: .* because the disk is full: free some space$/m)
      expect(status).toBe(EXIT_UNREACHABLE)
    }
  },
)

test('whatever keeps the store from writing ends as a store that cannot be reached', () => {
  for (const error of [new StoreFullError(), new StoreBusyError()]) {
    expect(exitCodeOf(error)).toBe(EXIT_UNREACHABLE)
  }
})
