import { join } from 'node:path'
import { freePort } from '@svc/testing/free-port'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { commandSwitches } from './commands.ts'

test('two commands kill a store and start it again, and a start waits until it is live', async () => {
  const port = await freePort()
  const file = join(temporaryFolder(), 'pid')
  const program = `require('http').createServer((q, s) => s.writeHead(204).end()).listen(${port})`
  const start = `"${process.execPath}" -e "${program}" & echo $! > "${file}"`
  const kill = `kill -9 $(cat "${file}")`
  const url = `esdb://user:secret@127.0.0.1:${port}?tls=false`
  const switches = commandSwitches({ kill, start }, url)
  const ask = () => fetch(`http://127.0.0.1:${port}`).then(({ status }) => status)
  await switches.restart()
  onTestFinished(() => switches.kill().catch(() => {}))
  expect(await ask()).toBe(204)
  await switches.kill()
  await expect(ask()).rejects.toThrow('fetch failed')
  await switches.restart()
  expect(await ask()).toBe(204)
  await expect(switches.freeze()).rejects.toThrow('no command')
  await expect(commandSwitches({ kill: 'exit 3', start }, url).kill()).rejects.toThrow('with 3')
})
