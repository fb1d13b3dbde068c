/** Saves texts for several lengths of the log, prints its process id, and dies without closing. */
import { responseBounds } from '../../store-bounds.ts'
import { openSqliteExpiringStore } from '../sqlite-expiring-store.ts'

const TEXTS = 1_500
const CHARACTERS = 16_000

const [path = ''] = process.argv.slice(2)
const options = { kind: 'responses', key: Buffer.alloc(32), bounds: responseBounds } as const
const store = openSqliteExpiringStore(path, options)
process.stdout.write(`opened ${process.pid}\n`)
const text = 'x'.repeat(CHARACTERS)
for (let number = 0; number < TEXTS; number += 1) {
  await store.save(`acct_${number % 7}`, `resp_${number}`, text, Number.MAX_SAFE_INTEGER)
}
process.stdout.write('saved\n')
process.kill(process.pid, 'SIGKILL')
