/**
 * Reads a trace of system calls (`strace -f -y`) and finds where a loss of power would have hurt:
 *
 *     an append is told        while the log has writes that no sync has followed
 *     the file is written      while the log has such: the file would have pages of no commit
 *     the log begins again     while the file has such: the commits would be nowhere
 */
export interface SyncOrder {
  /** The lines of the trace that break a rule. */
  readonly broken: readonly string[]
  /** Appends that were told. */
  readonly told: number
  /** How often the log of SQLite began again. */
  readonly begunAgain: number
}

type Part = 'log' | 'file'

/** A call such as `12 pwrite64(20</tmp/x/ledger.db-wal>, "..."..., 24, 0) = 24`. */
const CALL = /^(?<thread>\d+) +(?<call>\w+)\((?<descriptor>\d+)<(?<path>[^>]*)>(?<rest>.*)/
const RESUMED = /^(?<thread>\d+) +<\.\.\. \w+ resumed>/
const TOLD = /^, "appended/
const FROM_THE_START = /, 0(\) +=| <unfinished)/

export function syncOrder(trace: string): SyncOrder {
  const reader = new TraceReader()
  for (const line of trace.split('\n')) reader.read(line)
  return reader
}

class TraceReader implements SyncOrder {
  readonly broken: string[] = []
  told = 0
  begunAgain = 0
  readonly #unsynced = { log: false, file: false }
  /** What each thread is syncing, while the call has not come back. */
  readonly #syncing = new Map<string, Part>()

  read(line: string): void {
    const resumed = RESUMED.exec(line)?.groups?.thread
    if (resumed !== undefined) this.#endSync(resumed)
    const {
      thread = '',
      call = '',
      descriptor,
      path = '',
      rest = '',
    } = CALL.exec(line)?.groups ?? {}
    const part = partOf(path)
    if (part === undefined) {
      if (descriptor === '1' && TOLD.test(rest)) this.#tell(line)
    } else if (call === 'pwrite64') {
      this.#write(part, FROM_THE_START.test(rest), line)
    } else {
      this.#syncing.set(thread, part)
      if (!rest.includes('<unfinished')) this.#endSync(thread)
    }
  }

  #tell(line: string): void {
    this.told += 1
    if (this.#unsynced.log) this.broken.push(line)
  }

  #write(part: Part, fromTheStart: boolean, line: string): void {
    const other = part === 'file' ? 'log' : 'file'
    if (part === 'log' && fromTheStart) this.begunAgain += 1
    if ((part === 'file' || fromTheStart) && this.#unsynced[other]) this.broken.push(line)
    this.#unsynced[part] = true
  }

  #endSync(thread: string): void {
    const part = this.#syncing.get(thread)
    if (part !== undefined) this.#unsynced[part] = false
    this.#syncing.delete(thread)
  }
}

function partOf(path: string): Part | undefined {
  if (path.endsWith('.db-wal')) return 'log'
  return path.endsWith('.db') ? 'file' : undefined
}
