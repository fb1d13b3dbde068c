/**
 * Writes a statement. It is read twice: all of it is added up before its first line is written, so
 * that nothing of a statement that is wrong is ever shown. Any length needs the memory of one page.
 */
import type { StatementPage } from '../admin/billing.ts'
import { rowLine } from './statement-files.ts'
import type { StatementHead, StatementPeriod, StatementWriter } from './statement-writer.ts'

export interface StatementSource extends StatementPeriod {
  readonly zone: string
  /** Reads all pages of the period from its first entry on. Is called twice. */
  pages(): AsyncIterable<Pick<StatementPage, 'position' | 'opening' | 'rows'>>
}

/** SHA-256 over texts, such as `createHash('sha256')` of Node. */
export interface RunningHash {
  update(text: string): unknown
  digest(encoding: 'hex'): string
}

/** The second reading did not find what the first one had found. */
export class StatementChangedError extends Error {
  override readonly name = 'StatementChangedError'

  constructor() {
    super('the statement changed while it was written: ask again')
  }
}

/**
 * @returns the text of the file in pieces; the first comes when all pages have been read once
 * @throws {StatementChangedError} behind the rows, in the place of the end of the file
 */
export async function* statementText(
  { pages, zone, ...period }: StatementSource,
  writer: StatementWriter,
  sha256Of: () => RunningHash,
): AsyncGenerator<string> {
  const read = { position: '', opening: '0.00', closing: '0.00', rows: 0 }
  const digest = sha256Of()
  let isFirst = true
  for await (const { position, opening, rows } of pages()) {
    if (isFirst) Object.assign(read, { position, opening, closing: opening })
    isFirst = false
    for (const row of rows) digest.update(rowLine(row))
    read.closing = rows.at(-1)?.balance ?? read.closing
    read.rows += rows.length
  }
  const sha256 = digest.digest('hex')
  const head: StatementHead = { ...period, zone, currency: 'USD', ...read, sha256 }
  yield writer.opening(head)
  yield* rowsText(pages(), writer, head, sha256Of())
  yield writer.closing(head)
}

/** Rows that came since the first reading are left out. */
async function* rowsText(
  pages: ReturnType<StatementSource['pages']>,
  writer: StatementWriter,
  { rows: rowsMax, sha256 }: StatementHead,
  digest: RunningHash,
): AsyncGenerator<string> {
  let count = 0
  for await (const { rows } of pages) {
    const taken = rows.slice(0, rowsMax - count)
    for (const row of taken) digest.update(rowLine(row))
    yield writer.rows(taken, count === 0)
    count += taken.length
    if (count >= rowsMax) break
  }
  if (digest.digest('hex') !== sha256) throw new StatementChangedError()
}
