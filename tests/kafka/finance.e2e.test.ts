/**
 * The real server between payments that come from a topic and books that are kept from another:
 * `examples/kafka-finance` in both languages has to end with the sums of the server itself.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MonthSums } from '@svc/contracts/admin/finance'
import type { Operations } from '@svc/contracts/admin/operations'
import { KafkaBus } from '@svc/infra/bus/kafka/kafka-bus'
import { systemTimer } from '@svc/infra/system/system-timer'
import { describeOnOwnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { CLUSTER_START_MS_MAX, KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import { svc } from '@svc/testing/run-svc'
import { startRunningServer } from '@svc/testing/running-server'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { withoutModel } from '@svc/testing/without-model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Example } from '../examples/example-list.ts'
import { findPython, install, pythonOf } from '../examples/install.ts'
import { runStep } from '../examples/step.ts'

const FOLDER = fileURLToPath(new URL('../../examples/kafka-finance/', import.meta.url))
const TOPIC = `svc-finance-${process.pid}`
const PAYMENTS = `payments-${process.pid}`
const PROGRAM_MS_MAX = 60_000
const never = new AbortController().signal
const question = { messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 4 }

describeOnOwnKafka('payments and books in Kafka', () => {
  let cluster: KafkaCluster
  beforeAll(async () => {
    cluster = await KafkaCluster.start()
  }, CLUSTER_START_MS_MAX)
  afterAll(() => cluster.close())

  test('a payment is credit once, and the books of every language are the server’s own', async () => {
    const bus = new KafkaBus({ brokers: cluster.addresses, timer: systemTimer })
    const payments = await bus.open({ name: PAYMENTS, partitions: 1 })
    const dataDir = join(temporaryFolder(), 'data')
    const server = await startRunningServer(
      {
        ...(await withoutModel()),
        KAFKA_BROKERS: cluster.addresses.join(','),
        SVC_KAFKA_TOPIC: TOPIC,
        SVC_KAFKA_TOPUPS_TOPIC: PAYMENTS,
      },
      dataDir,
    )
    const { operations, ready } = server
    const account_id = ready.accountId ?? ''

    const payment = { account_id, amount: '25.00', currency: 'USD', reference: 'pay_1' }
    const values = [payment, { ...payment, amount: '26.00' }, payment].map((it) =>
      JSON.stringify(it),
    )
    const records = values.map((value) => ({ key: account_id, value, headers: {} }))
    await payments.deliver(records, never)
    const topUps = { granted: 1, repeated: 1, dead: 1, waiting: '0', problems: [] }
    await expect.poll(async () => (await operations.status()).top_ups).toMatchObject(topUps)
    const { grants } = await operations.showAccount({ account_id })
    expect(grants.map(({ amount }) => amount)).toEqual(['5.00', '25.00'])
    const { out } = await svc(['status'], { environment: { SVC_DATA_DIR: dataDir } })
    expect(out).toMatch(new RegExp(`top-ups +topic ${PAYMENTS}, 0 waiting; 1 granted, 1 known`))
    await bus.close()

    await moveMoney(operations, account_id, () => server.chat(question))
    await expect.poll(async () => (await operations.status()).feed?.lag).toBe('0')
    const books = join(temporaryFolder(), 'finance.db')
    await runAndKill(books)
    for await (const line of operations.resendFeed({ from: '-1' })) expect(line).toBeDefined()
    const ofNode = await runOnce(process.execPath, ['finance.mjs'], books)
    expect(ofNode).toEqual(await serversOwn(operations, ofNode))
    expect(ofNode.get(account_id)?.at(-1)?.closing).toBe(await closingOf(operations, account_id))

    await refusesNoTopic(process.execPath, 'finance.mjs')

    const python = await preparedPython()
    if (python === undefined) return
    await refusesNoTopic(python, 'finance.py')
    const newBooks = join(temporaryFolder(), 'python.db')
    expect(await runOnce(python, ['finance.py'], newBooks)).toEqual(ofNode)
    expect(await runOnce(python, ['finance.py'], books)).toEqual(ofNode)
  })

  /** Starts the program and kills it when it has begun to write. */
  async function runAndKill(books: string): Promise<void> {
    const words = ['finance.mjs', '--books', books, '--topic', TOPIC]
    const child = spawn(process.execPath, words, {
      cwd: FOLDER,
      env: environment(),
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await expect.poll(() => existsSync(books)).toBe(true)
    child.kill('SIGKILL')
    await ended
  }

  /** The books of a topic that is mistyped would be empty, and add up. */
  async function refusesNoTopic(command: string, program: string): Promise<void> {
    const books = join(temporaryFolder(), 'none.db')
    const { passed, output } = await run(command, [program], books, `${TOPIC}-none`)
    expect(passed, output).toBe(false)
    expect(output).toContain(`There is no topic ${TOPIC}-none: `)
    expect(output).not.toMatch(/Traceback|at async/)
  }

  async function runOnce(command: string, words: readonly string[], books: string) {
    const { passed, output } = await run(command, words, books, TOPIC)
    expect(passed, output).toBe(true)
    return linesOf(output)
  }

  function run(command: string, words: readonly string[], books: string, topic: string) {
    return runStep({
      command,
      arguments: [...words, '--once', '--books', books, '--topic', topic],
      folder: FOLDER,
      environment: environment(),
      timeoutMs: PROGRAM_MS_MAX,
    })
  }

  function environment(): NodeJS.ProcessEnv {
    const { HOME, PATH } = process.env
    const NODE_OPTIONS = '--disable-warning=TimeoutNegativeWarning'
    return { HOME, PATH, KAFKA_BROKERS: cluster.addresses.join(','), NODE_OPTIONS }
  }
})

type Line = MonthSums & { readonly month: string }
type Books = ReadonlyMap<string, readonly Line[]>

/** Something of every kind that moves a balance. */
async function moveMoney(
  operations: Operations,
  account_id: string,
  chat: () => Promise<Response>,
): Promise<void> {
  const terms = { account_id, reason: 'a test', reference: null }
  const request = (await chat()).headers.get('x-request-id') ?? ''
  expect((await chat()).status).toBe(200)
  await operations.refund({ ...terms, request_id: request, amount: null })
  await operations.adjust({ ...terms, amount: '-0.25' })
  const gift = { amount: '1.00', category: 'promotional', priority: 1, expires_at: null } as const
  const { grant_id } = await operations.grant({ ...terms, ...gift })
  await operations.voidGrant({ ...terms, grant_id })
  const other = await operations.openAccount({ name: 'Bob', spend_policy: 'standard' })
  const ofBob = { ...terms, account_id: other.account_id }
  await operations.grant({ ...ofBob, ...gift, category: 'paid' })
  await operations.closeAccount({ ...ofBob, remainder: 'paid_out' })
}

/** The same months and accounts, as `svc month` has them. */
async function serversOwn(operations: Operations, books: Books): Promise<Books> {
  const found = new Map<string, Line[]>()
  for (const month of new Set([...books.values()].flat().map((line) => line.month))) {
    for (const customer of (await operations.month({ month })).customers) {
      const { account_id, external_id: _, name: __, ...sums } = customer
      found.set(account_id, [...(found.get(account_id) ?? []), { month, ...sums }])
    }
  }
  return found
}

async function closingOf(operations: Operations, account_id: string): Promise<string> {
  const { closing } = await operations.statement({ account_id, limit: 1_000 })
  return closing
}

/** Of the CSV that the programs print. */
function linesOf(output: string): Books {
  const [head = '', ...lines] = output.trim().split('\n')
  const names = head.split(',')
  const rows = lines.map((line) => {
    const cells = line.split(',')
    return Object.fromEntries(names.map((name, at) => [name, cells[at]]))
  })
  const groups = Map.groupBy(rows, ({ account }) => account ?? '')
  return new Map(
    [...groups].map(([account, some]) => [
      account,
      some.map(({ account: _, ...line }) => line as never),
    ]),
  )
}

/** @returns undefined where there is no Python; in CI that is a failure */
async function preparedPython(): Promise<string | undefined> {
  const python = await findPython(process.env)
  if (process.env.CI) expect(python).toBeDefined()
  if (python === undefined) return undefined
  const example: Example = {
    name: 'kafka-finance',
    folder: FOLDER,
    kind: 'python',
    clients: [],
    program: undefined,
    firstCall: undefined,
    check: 'check.mjs',
  }
  const installed = await install(example, process.env, python)
  expect(installed.passed, installed.output).toBe(true)
  return pythonOf(example)
}
