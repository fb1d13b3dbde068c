/** For tests: one broker process of a cluster, to start and to break. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const CLUSTER_ID = 'c3ZjLXRlc3RzLWthZmthMQ'
/** Five seconds calm; Java starts twice, beside whatever else keeps the processor busy. */
const STARTED_WITHIN_MS = 120_000
const STOPPED_WITHIN_MS = 30_000
const LOOK_AGAIN_MS = 25
/** A broker that is silent for this long is frozen. */
const SILENT_MS = 1_000
/** Small and quick to start, not quick at its peak. */
const JAVA_ARGUMENTS = [
  ...['-Xms128m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'],
]

export interface KafkaBrokerOptions {
  readonly id: number
  readonly port: number
  readonly folder: string
  readonly config: Readonly<Record<string, string>>
  readonly classpath: string
}

export class KafkaBroker {
  readonly address: string
  readonly #id: number
  readonly #port: number
  readonly #folder: string
  /** What the broker says of itself. */
  readonly #logFile: string
  readonly #configFile: string
  readonly #java: readonly string[]
  #process: ChildProcess | undefined

  constructor({ id, port, folder, config, classpath }: KafkaBrokerOptions) {
    this.#id = id
    this.address = `127.0.0.1:${port}`
    this.#port = port
    this.#folder = folder
    this.#logFile = join(folder, 'broker.log')
    this.#configFile = join(folder, 'server.properties')
    const lines = Object.entries(config).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(this.#configFile, lines.join(''))
    this.#java = [
      ...JAVA_ARGUMENTS,
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
      ...['-cp', classpath],
    ]
  }

  get port(): number {
    return this.#port
  }

  /** Formats the folder when it is empty, starts the process, and waits until it answers. */
  async start(): Promise<void> {
    if (!existsSync(join(this.#folder, 'data', 'meta.properties'))) this.#format()
    const log = openSync(this.#logFile, 'a')
    const program = [...this.#java, 'kafka.Kafka', this.#configFile]
    this.#process = spawn('java', program, { stdio: ['ignore', log, log] })
    closeSync(log)
    await this.untilItKnows(1)
  }

  /** Ends it as an operator would: leaders move away, the log is flushed. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  endAtOnce(): void {
    this.#process?.kill('SIGKILL')
  }

  /** As `kill -9` does. */
  async kill(): Promise<void> {
    this.#process?.kill('SIGCONT')
    await this.#end('SIGKILL')
  }

  /** Stops the process without ending it: connections stay open, and nothing is answered. */
  async freeze(): Promise<void> {
    this.#process?.kill('SIGSTOP')
    while (!/^State:\s+T/m.test(this.#status())) await delay(LOOK_AGAIN_MS)
  }

  async thaw(): Promise<void> {
    this.#process?.kill('SIGCONT')
    await this.untilItKnows(1)
  }

  /** Forgets all that it kept. Only when it does not run. */
  wipe(): void {
    rmSync(join(this.#folder, 'data'), { recursive: true, force: true })
  }

  async untilItKnows(count: number): Promise<void> {
    const deadline = performance.now() + STARTED_WITHIN_MS
    for (;;) {
      const known = await knownBrokers(this.#port).catch(() => 0)
      if (known >= count) return
      const ended = this.#process?.exitCode !== null || this.#process.signalCode !== null
      if (ended || performance.now() > deadline) {
        throw new Error(
          `broker ${this.#id} does not run:\n${readFileSync(this.#logFile, 'utf8').slice(-2_000)}`,
        )
      }
      await delay(LOOK_AGAIN_MS)
    }
  }

  #format(): void {
    const format = ['kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', this.#configFile]
    const done = spawnSync('java', [...this.#java, ...format])
    if (done.status === 0) return
    throw new Error(`storage was not formatted:\n${done.stdout}${done.stderr}`)
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const running = this.#process
    this.#process = undefined
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()))
    running.kill(signal)
    const late = setTimeout(() => running.kill('SIGKILL'), STOPPED_WITHIN_MS)
    await ended
    clearTimeout(late)
  }

  #status(): string {
    return readFileSync(`/proc/${this.#process?.pid}/status`, 'utf8')
  }
}

/** How many brokers are alive, as this one sees it: a Metadata request (v1, no topics) by hand. */
async function knownBrokers(port: number): Promise<number> {
  const request = Buffer.alloc(18)
  request.writeInt32BE(14, 0) // bytes that follow
  request.writeInt16BE(3, 4) // Metadata
  request.writeInt16BE(1, 6) // version
  request.writeInt32BE(7, 8) // correlation
  request.writeInt16BE(-1, 12) // no client id
  request.writeInt32BE(0, 14) // no topics
  const socket = connect(port, '127.0.0.1')
  try {
    return await new Promise<number>((resolve, reject) => {
      socket.setTimeout(SILENT_MS, () => reject(new Error('silent')))
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('closed')))
      let answer: Buffer = Buffer.alloc(0)
      socket.on('data', (chunk: Buffer) => {
        answer = Buffer.concat([answer, chunk])
        // Size, correlation, length of the list.
        if (answer.length >= 12) resolve(answer.readInt32BE(8))
      })
      socket.write(request)
    })
  } finally {
    socket.destroy()
  }
}
