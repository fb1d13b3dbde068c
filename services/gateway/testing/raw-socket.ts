/** Sends bytes as they are, and reads what comes back until it is whole or the server hangs up. */
import { connect } from 'node:net'

export interface RawAnswer {
  /** 0 when the server hung up without an answer. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Everything that came, for answers to several requests. */
  readonly text: string
}

const WAIT_MS = 10_000

/** @param answers how many answers to wait for, unless the server closes first */
export function sendRaw(port: number, bytes: string | Buffer, answers = 1): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(readAnswer(text))
    }
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no answer within ${WAIT_MS} ms, only: ${JSON.stringify(text)}`))
    }, WAIT_MS)
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
      if (countWhole(text) >= answers) done()
    })
    socket.on('close', done)
    socket.on('error', () => {})
  })
}

function readAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { status: Number(first.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n'), text }
}

function countWhole(text: string): number {
  let count = 0
  let rest = text
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    const length = /^content-length: (\d+)/im.exec(rest.slice(0, end))?.[1]
    if (end < 0 || length === undefined || rest.length < end + 4 + Number(length)) return count
    rest = rest.slice(end + 4 + Number(length))
    if (!/^HTTP\/1\.1 100/.test(text)) count += 1
  }
}
