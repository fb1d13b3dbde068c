/** For tests: a broker that is a Java process of this machine. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { runToEnd } from '../bounded-run.ts'
import type { BrokerRun, BrokerSettings } from './kafka-broker.ts'

const CLUSTER_ID = 'c3ZjLXRlc3RzLWthZmthMQ'
const STOPPED_WITHIN_MS = 30_000
const LOOK_AGAIN_MS = 25
/** Small and quick to start, not quick at its peak. */
const JAVA_ARGUMENTS = [
  ...['-Xms128m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'],
]

export class BrokerProcess implements BrokerRun {
  readonly #folder: string
  /** What the broker says of itself. */
  readonly #logFile: string
  readonly #configFile: string
  readonly #java: readonly string[]
  #process: ChildProcess | undefined

  /** @param folder of its own, that is there */
  constructor(folder: string, settings: BrokerSettings, classpath: string) {
    this.#folder = folder
    this.#logFile = join(folder, 'broker.log')
    this.#configFile = join(folder, 'server.properties')
    const config = { ...settings, 'log.dirs': join(folder, 'data') }
    const lines = Object.entries(config).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(this.#configFile, lines.join(''))
    this.#java = [
      ...JAVA_ARGUMENTS,
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
      ...['-cp', classpath],
    ]
  }

  /** Formats the folder when it is empty. */
  async start(): Promise<void> {
    if (!existsSync(join(this.#folder, 'data', 'meta.properties'))) this.#format()
    const log = openSync(this.#logFile, 'a')
    const program = [...this.#java, 'kafka.Kafka', this.#configFile]
    this.#process = spawn('java', program, { stdio: ['ignore', log, log] })
    closeSync(log)
  }

  async hasEnded(): Promise<boolean> {
    return this.#process?.exitCode !== null || this.#process.signalCode !== null
  }

  async output(): Promise<string> {
    return readFileSync(this.#logFile, 'utf8')
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  endAtOnce(): void {
    this.#process?.kill('SIGKILL')
  }

  async kill(): Promise<void> {
    this.#process?.kill('SIGCONT')
    await this.#end('SIGKILL')
  }

  async freeze(): Promise<void> {
    this.#process?.kill('SIGSTOP')
    while (!/^State:\s+T/m.test(this.#status())) await delay(LOOK_AGAIN_MS)
  }

  async thaw(): Promise<void> {
    this.#process?.kill('SIGCONT')
  }

  async wipe(): Promise<void> {
    rmSync(join(this.#folder, 'data'), { recursive: true, force: true })
  }

  #format(): void {
    const format = ['kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', this.#configFile]
    const done = runToEnd('java', [...this.#java, ...format])
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
