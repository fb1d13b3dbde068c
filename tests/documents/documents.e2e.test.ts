/**
 * The README's quick start, the tutorial and how-to pages are run as they are printed, against a
 * real server with the real model: each `sh` block by bash, and where a `text` block follows, its
 * lines are found in the output.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { alterFile, runInFile } from '@svc/infra/event-store/compliance/alter-file'
import { type ReadyLine, ServerProcess } from '@svc/testing/server-process'
import { makeTemporaryFolder, temporaryFolder } from '@svc/testing/temporary-folder'
import { withoutModel } from '@svc/testing/without-model'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type DocumentBlock, readBlocks, textsIn } from './blocks.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * What the reader does once by hand: the server is started by the test, its values put in place.
 */
const DONE_BY_THE_TEST = [
  /npm install/,
  /npm start/,
  /^exec /m,
  /^export (SVC_(URL|KEY)=|ACCOUNT=)/m,
]

/** For who has more than one customer: commands that name none fail there. */
const OF_SEVERAL_CUSTOMERS = ['docs/how-to/close-a-month.md']
const SECOND_CUSTOMER = { commands: "./svc account open --name 'Grace'", expectedLines: [] }

/** They begin with a server that nobody has used. */
const OF_A_NEW_SERVER = ['README.md', 'docs/tutorial/first-paid-answer.md']

/**
 * One server is enough for these, in this order: the first counts on a balance that nobody has
 * spent of, and what the last do stays: prices, and customers beside the first. Two more pages
 * follow on it, which take away the customer's key and its name.
 */
const OF_ONE_SERVER = [
  'docs/how-to/read-a-bill-by-hand.md',
  'docs/how-to/run-the-server.md',
  'docs/how-to/reconcile-the-books.md',
  'docs/how-to/ask-the-past.md',
  'docs/how-to/see-what-you-spend.md',
  'docs/how-to/watch-with-prometheus.md',
  'docs/how-to/give-finance-a-token.md',
  'docs/how-to/sign-in-and-invite.md',
  'docs/how-to/publish-prices.md',
  'docs/how-to/erase-personal-data.md',
  'docs/how-to/close-a-month.md',
]

describe.each(OF_A_NEW_SERVER)('%s', (document) => {
  test('does what it says', async () => {
    const place = readersPlace()
    const server = new ServerProcess(join(place, 'data'))
    onTestFinished(() => server.kill('SIGKILL'))
    await runPage(document, place, environmentOf(await server.ready()))
    expect(await server.stop()).toEqual({ code: 0, signal: null })
  })
})

describe('on one server', () => {
  const folder = makeTemporaryFolder()
  const dataDir = join(folder.path, 'data')
  let server: ServerProcess
  let environment: Readonly<Record<string, string>>

  beforeAll(async () => {
    server = new ServerProcess(dataDir)
    environment = environmentOf(await server.ready())
  })
  afterAll(async () => {
    const exit = await server.stop()
    folder.remove()
    expect(exit).toEqual({ code: 0, signal: null })
  })

  test.each(OF_ONE_SERVER)('%s does what it says', async (document) => {
    const place = readersPlace(dataDir)
    if (OF_SEVERAL_CUSTOMERS.includes(document)) await runBlock(SECOND_CUSTOMER, place, environment)
    await runPage(document, place, environment)
  })
  /** The price of the first start is the oldest, and long replaced. */
  test('docs/how-to/correct-a-mistake.md does what it says, with the price in force', async () => {
    const place = readersPlace(dataDir)
    const rates = '--input 0.30 --cached-input 0.03 --output 1.20'
    const publish = { commands: `./svc --quiet price publish ${rates}`, expectedLines: [] }
    const wrong = (await runBlock(publish, place, environment)).trim()
    await runPage('docs/how-to/correct-a-mistake.md', place, environment)
    const look = { commands: './svc events list --type BalanceAdjusted --json', expectedLines: [] }
    const events = await runBlock(look, place, environment)
    const corrected = events.match(/price_[0-9]\w+/g)
    expect(new Set(corrected)).toEqual(new Set([wrong]))
  })

  /** What a reader does again and again: the second key is not the first any more. */
  test('docs/how-to/rotate-a-key.md does what it says, a second and a third time too', async () => {
    const place = readersPlace(dataDir)
    const { SVC_URL, SVC_KEY = '' } = environment
    const secrets = [SVC_KEY]
    for (let time = 1; time <= 3; time += 1) {
      const ofThisTime = { ...environment, SVC_KEY: secrets.at(-1) ?? '' }
      const output = await runPage('docs/how-to/rotate-a-key.md', place, ofThisTime)
      secrets.push(/for the customer: (sk-svc-\S+)/.exec(output)?.[1] ?? '')
    }
    const statusOf = async (secret: string) => {
      const headers = { authorization: `Bearer ${secret}` }
      return (await fetch(`${SVC_URL}/v1/balance`, { headers })).status
    }
    expect(await Promise.all(secrets.map(statusOf))).toEqual([401, 401, 401, 200])
  })
})

test('docs/how-to/back-up-and-restore.md does what it says, with a server that was stopped', async () => {
  const place = readersPlace()
  const server = await serverWithoutModel(place)
  const environment = environmentOf(await server.ready())
  await server.stop()
  await runPage('docs/how-to/back-up-and-restore.md', place, environment)
})

/** Its statements are for another program: `sqlite3`, as Node.js has it. */
test('docs/how-to/mend-a-damaged-stream.md names a damaged row and puts it back', async () => {
  const place = readersPlace()
  const server = await serverWithoutModel(place)
  const { accountId } = await server.ready()
  await server.stop()
  const page = readFileSync(join(ROOT, 'docs/how-to/mend-a-damaged-stream.md'), 'utf8')
  const [look, forget] = readBlocks(page)
  const [statements = ''] = textsIn(page, 'sql')
  if (look === undefined || forget === undefined) throw new Error('the page lacks commands')
  const file = join(place, 'data', 'ledger.db')
  const backup = join(place, 'ledger.db')
  copyFileSync(file, backup)
  const stream = `account-${accountId}`
  const damage = `UPDATE event SET data = replace(data, '"amount":"', '"amount":"9')
    WHERE stream_id = :stream AND revision = 1`
  alterFile(file, damage, { stream })
  const found = await runInBash(look.commands, place, {})
  expect(found.code).toBe(1)
  expect(found.output).toMatch(new RegExp(`${stream}.* 1 `))
  // Views that are built now know the row as it should not be.
  rmSync(join(place, 'data', 'views'), { recursive: true })
  const misled = await serverWithoutModel(place)
  await misled.ready()
  await misled.stop()

  runInFile(
    file,
    statements
      .replace('backup/ledger.db', backup)
      .replaceAll('account-acct_…', stream)
      .replaceAll('revision = 7', 'revision = 1'),
  )
  await runBlock(forget, place, {})
  await runBlock(look, place, {})
})

/** Views, snapshots, the note of the head and what was signed remember more than the older file. */
test('docs/how-to/back-up-and-restore.md goes on with an older ledger on purpose', async () => {
  const place = readersPlace()
  const data = join(place, 'data')
  const first = await serverWithoutModel(place)
  const { accountId } = await first.ready()
  const grant = (reference: string) =>
    runInBash(`./svc account grant ${accountId} 1 --reason more --ref '${reference}'`, place, {})
  expect(await runInBash('./svc backup', place, {})).toMatchObject({ code: 0 })
  expect(await grant('before the crash')).toMatchObject({ code: 0 })
  await first.stop()
  const second = await serverWithoutModel(place)
  await second.ready()
  expect(await grant('just before the crash')).toMatchObject({ code: 0 })
  second.kill('SIGKILL')
  await second.exited
  expect(existsSync(join(data, 'ledger.db-wal'))).toBe(true)
  const page = readFileSync(join(ROOT, 'docs/how-to/back-up-and-restore.md'), 'utf8')
  const [putBack, removal] = readBlocks(page).filter(({ commands }) => commands.startsWith('rm '))
  if (putBack === undefined || removal === undefined) throw new Error('the page lacks commands')
  await runBlock(putBack, place, {})

  const found = await runInBash('./svc verify', place, {})
  expect(found.code).toBe(1)
  for (const witness of ['the view accounts', 'log-head.json', 'a snapshot']) {
    expect(found.output).toContain(`as ${witness} remembers it`)
  }
  await runBlock(removal, place, {})

  const third = await serverWithoutModel(place)
  await third.ready()
  for (const command of ['./svc verify', './svc evidence export']) {
    expect(await runInBash(command, place, {})).toMatchObject({ code: 0 })
  }
  await third.stop()
})

function isDoneByTheTest({ commands }: DocumentBlock): boolean {
  return DONE_BY_THE_TEST.some((pattern) => pattern.test(commands))
}

/**
 * A folder like the reader's: `svc` is in it, and `data` will be below it.
 *
 * @param dataDir of a server that runs already
 */
function readersPlace(dataDir?: string): string {
  const place = temporaryFolder()
  symlinkSync(join(ROOT, 'svc'), join(place, 'svc'))
  if (dataDir !== undefined) symlinkSync(dataDir, join(place, 'data'))
  return place
}

/** For pages without a request. */
async function serverWithoutModel(place: string): Promise<ServerProcess> {
  const server = new ServerProcess(join(place, 'data'), await withoutModel())
  onTestFinished(() => server.kill('SIGKILL'))
  return server
}

function environmentOf({ baseUrl, apiKey = '', accountId }: ReadyLine): Record<string, string> {
  return { SVC_URL: baseUrl, SVC_KEY: apiKey, ACCOUNT: accountId }
}

/** @returns what its commands said */
async function runPage(
  document: string,
  place: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const blocks = readBlocks(readFileSync(join(ROOT, document), 'utf8'))
  const commands = blocks.filter((block) => !isDoneByTheTest(block))
  expect(commands.length).toBeGreaterThan(1)
  let output = ''
  for (const block of commands) output += await runBlock(block, place, environment)
  return output
}

async function runBlock(
  block: DocumentBlock,
  place: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const { code, output } = await runInBash(block.commands, place, environment)
  expect(code, `${block.commands}\n→ ${output}`).toBe(0)
  for (const line of block.expectedLines) {
    expect(flat(output), `${block.commands}\n→ ${output}`).toMatch(patternOf(line))
  }
  return output
}

/** `…` in an expected line stands for anything. */
function patternOf(line: string): RegExp {
  const literal = flat(line)
    .split('…')
    .map((part) => RegExp.escape(part))
  return new RegExp(literal.join('.*?'))
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** A reader has one shell: what a block sets, those after it have. */
const VARIABLES = '.variables'
const ASSIGNMENT = /^([A-Z_]+)=/gm

function runInBash(
  commands: string,
  place: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  const { SVC_URL, SVC_KEY, ...others } = environment
  const names = [...commands.matchAll(ASSIGNMENT)].map(([, name]) => name).join(' ')
  const script = [
    `touch ${VARIABLES}; . ./${VARIABLES}`,
    `SVC_URL='${SVC_URL}'; SVC_KEY='${SVC_KEY}'`,
    'set -eo pipefail',
    commands,
    names === '' ? '' : `declare -p ${names} >> ${VARIABLES}`,
  ].join('\n')
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['-c', script],
      { cwd: place, env: { ...pathOnly(), ...others }, timeout: 60_000 },
      (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, output: `${stdout}\n${stderr}` }),
    )
  })
}

function pathOnly(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: process.env.HOME }
}
