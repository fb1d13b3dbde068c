/** Removes one text, then all of an account, says so, and dies without closing. */
import { responseBounds } from '../../store-bounds.ts'
import { openSqliteExpiringStore } from '../sqlite-expiring-store.ts'

const [path = ''] = process.argv.slice(2)
const options = { kind: 'responses', key: Buffer.alloc(32), bounds: responseBounds } as const
const store = openSqliteExpiringStore(path, options)
for (const id of ['one', 'two']) await store.save('acct_1', id, 'x', Number.MAX_SAFE_INTEGER)
process.stdout.write('saved\n')
await store.remove('acct_1', 'one')
process.stdout.write('removed one\n')
await store.removeAll('acct_1')
process.stdout.write('removed all\n')
process.kill(process.pid, 'SIGKILL')
