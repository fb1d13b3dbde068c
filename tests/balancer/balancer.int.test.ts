/**
 * The example configurations in a real HAProxy and a real nginx, before servers that only say which
 * of them was asked. Where a program is missing its tests are skipped and say so.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { makeSecret } from '@svc/contracts/api-key'
import { runToEnd } from '@svc/testing/bounded-run'
import { freePort } from '@svc/testing/free-port'
import { sampleId } from '@svc/testing/ledger/sample'
import { makeTemporaryFolder } from '@svc/testing/temporary-folder'
import { until } from '@svc/testing/until'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { workspaceRoot } from '../rules/workspace.ts'

const EXAMPLES = join(workspaceRoot, 'examples/balancer')
const ACCOUNTS = 24
const REQUESTS_PER_ACCOUNT = 4
/** As the examples have them. */
const GATEWAY_PORTS = [8081, 8082, 8083]
const BALANCER_PORT = 8000

const balancers = [
  {
    name: 'HAProxy',
    program: 'haproxy',
    file: 'haproxy.cfg',
    flags: (file: string) => ['-db', '-f', file],
    /** Whether it asks the servers by itself how they are. */
    looks: true,
  },
  {
    name: 'nginx',
    program: 'nginx',
    file: 'nginx.conf',
    flags: (file: string, folder: string) => [
      ...['-p', folder, '-c', file, '-e', 'stderr'],
      ...['-g', `daemon off; pid ${join(folder, 'pid')};`],
    ],
    looks: false,
  },
]

/** A server in the place of a gateway. */
interface Gateway {
  readonly port: number
  readonly name: string
  isReady: boolean
  close(): Promise<void>
}

async function startGateway(name: string): Promise<Gateway> {
  const gateway = { isReady: true }
  const server: Server = createServer((request, response) => {
    request.resume()
    if (request.url === '/readyz') response.statusCode = gateway.isReady ? 200 : 503
    request.on('end', () => response.end(name))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return Object.assign(gateway, { port, name, close })
}

/** The example, but for its ports, and for where nginx keeps what it cannot send on at once. */
function configuration(file: string, port: number, gateways: readonly Gateway[]): string {
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => {
    return `${of}_temp_path ${of};`
  })
  let text = readFileSync(join(EXAMPLES, file), 'utf8')
  const ports: [from: number, to: number][] = [[BALANCER_PORT, port]]
  for (const [at, gateway] of gateways.entries()) ports.push([GATEWAY_PORTS[at] ?? 0, gateway.port])
  for (const [from, to] of ports) text = text.replaceAll(`127.0.0.1:${from}`, `localhost@${to}`)
  text = text.replace('access_log off;', `access_log off; ${kept.join(' ')}`)
  return text.replaceAll('localhost@', '127.0.0.1:')
}

describe.each(balancers)('the example of $name', ({ name, program, file, flags, looks }) => {
  const isHere = runToEnd(program, ['-v']).status === 0
  if (!isHere) {
    const isForgiven = process.env.CI === undefined
    test.skipIf(isForgiven)(`[${program} is not installed] is not shown here`, () => {
      expect(isHere).toBe(true)
    })
    return
  }
  const folder = makeTemporaryFolder()
  const keys = Array.from({ length: ACCOUNTS }, (_, at) =>
    makeSecret(sampleId('acct', at + 1), new Uint8Array(32).fill(at + 1)),
  )
  let gateways: readonly Gateway[]
  let url: string
  let balancer: ChildProcess
  beforeAll(async () => {
    gateways = await Promise.all(['one', 'two', 'three'].map(startGateway))
    const port = await freePort()
    const path = join(folder.path, file)
    writeFileSync(path, configuration(file, port, gateways))
    balancer = spawn(program, flags(path, folder.path), { stdio: 'ignore' })
    url = `http://127.0.0.1:${port}`
    await until(() =>
      asked(keys[0] ?? '').then(
        () => true,
        () => false,
      ),
    )
  })
  afterAll(async () => {
    balancer.kill('SIGKILL')
    await Promise.all(gateways.map((gateway) => gateway.close()))
    folder.remove()
  })

  /** @returns which gateway has answered */
  async function asked(key: string, header = 'authorization', path = '/v1/chat/completions') {
    const headers = { [header]: header === 'authorization' ? `Bearer ${key}` : key }
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: '{}' })
    if (answer.status !== 200) throw new Error(`${name} answers ${answer.status}`)
    return answer.text()
  }

  async function gatewayOf(key: string): Promise<string> {
    const seen = new Set<string>()
    for (let at = 0; at < REQUESTS_PER_ACCOUNT; at += 1) {
      seen.add(await asked(key, at % 2 === 0 ? 'authorization' : 'x-api-key'))
    }
    expect(seen.size).toBe(1)
    return [...seen].join()
  }

  test('sends an account to one gateway, whichever of its keys comes in whichever header', async () => {
    const chosen = await Promise.all(keys.map(gatewayOf))
    expect(new Set(chosen)).toEqual(new Set(['one', 'two', 'three']))
    const [first = ''] = keys
    const sameAccount = makeSecret(sampleId('acct', 1), new Uint8Array(32).fill(99))
    expect(sameAccount).not.toBe(first)
    expect(await gatewayOf(sameAccount)).toBe(chosen[0])
  })

  test('sends the dashboard to one server, whoever asks', async () => {
    const seen = () => Promise.all(keys.map((key) => asked(key, 'authorization', '/dashboard/x')))
    // HAProxy has none for it while that one server has not said in time that it is ready.
    await until(() =>
      seen().then(
        () => true,
        () => false,
      ),
    )
    expect(new Set(await seen())).toEqual(new Set(['one']))
  })

  test.runIf(looks)('leaves out a gateway that says that it is not ready', async () => {
    const [, , third] = gateways
    if (third === undefined) throw new Error('there are three')
    third.isReady = false
    const chosen = () => Promise.all(keys.map((key) => asked(key)))
    await until(async () => !(await chosen()).includes('three'))
    third.isReady = true
    await until(async () => (await chosen()).includes('three'))
  })

  test('sends the accounts of a gateway that is gone to others, and no other account', async () => {
    const before = await Promise.all(keys.map((key) => asked(key)))
    await gateways[1]?.close()
    for (const [at, key] of keys.entries()) {
      const now = await asked(key)
      if (before[at] === 'two') expect(now).not.toBe('two')
      else expect(now).toBe(before[at])
    }
  })
})
