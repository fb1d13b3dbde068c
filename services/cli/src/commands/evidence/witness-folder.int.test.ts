/** A folder that cannot be made ends the command: what hung would hang this process as well. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { readSignerKey, signerKeyText } from '@svc/contracts/evidence/signed-note'
import { expect, test } from 'vitest'

const bin = fileURLToPath(new URL('../../../bin/svc.js', import.meta.url))

test.skipIf(process.platform !== 'linux')('a witness refuses a folder in /proc at once', () => {
  const key = readSignerKey(signerKeyText('log', Buffer.alloc(32, 1))).verifier.text
  const where = ['--log', 'http://127.0.0.1:9', '--key', key, '--folder', '/proc/svc/witness']
  const ran = spawnSync(process.execPath, [bin, 'witness', ...where, '--once'], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  expect([ran.status, ran.stderr]).toEqual([
    2,
    expect.stringMatching(/^svc: --folder: the system does not let \/proc\/svc be made: /),
  ])
})
