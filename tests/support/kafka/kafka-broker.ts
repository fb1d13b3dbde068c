/** For tests: one broker of a cluster, to start and to break. */
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerRun } from '../server-run.ts'

/** Five seconds calm; Java starts twice, beside whatever else keeps the processor busy. */
const STARTED_WITHIN_MS = 120_000
const LOOK_AGAIN_MS = 25
/** A broker that is silent for this long is frozen. */
const SILENT_MS = 1_000

/** Of `server.properties`; where it keeps its data is not among them. */
export type BrokerSettings = Readonly<Record<string, string>>

/** What keeps a broker running. */
export interface BrokerRun extends ServerRun {
  /** What the broker has printed. */
  output(): Promise<string>
  stop(): Promise<void>
  /** When this process ends: nothing can be waited for. */
  endAtOnce(): void
  wipe(): Promise<void>
}

export class KafkaBroker {
  readonly address: string
  readonly port: number
  readonly #run: BrokerRun

  constructor(port: number, run: BrokerRun) {
    this.address = `127.0.0.1:${port}`
    this.port = port
    this.#run = run
  }

  /** Formats its disk when that is empty, starts it, and waits until it answers. */
  async start(): Promise<void> {
    await this.#run.start()
    await this.untilItKnows(1)
  }

  /** Ends it as an operator would: leaders move away, the log is flushed. */
  stop(): Promise<void> {
    return this.#run.stop()
  }

  endAtOnce(): void {
    this.#run.endAtOnce()
  }

  /** As `kill -9` does. */
  kill(): Promise<void> {
    return this.#run.kill()
  }

  /** Stops the process without ending it: connections stay open, and nothing is answered. */
  freeze(): Promise<void> {
    return this.#run.freeze()
  }

  async thaw(): Promise<void> {
    await this.#run.thaw()
    await this.untilItKnows(1)
  }

  /** Forgets all that it kept. Only when it does not run. */
  wipe(): Promise<void> {
    return this.#run.wipe()
  }

  async untilItKnows(count: number): Promise<void> {
    const deadline = performance.now() + STARTED_WITHIN_MS
    for (;;) {
      const known = await knownBrokers(this.port).catch(() => 0)
      if (known >= count) return
      if (performance.now() > deadline || (await this.#run.hasEnded())) {
        const output = await this.#run.output()
        throw new Error(`the broker of ${this.address} does not run:\n${output.slice(-2_000)}`)
      }
      await delay(LOOK_AGAIN_MS)
    }
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
