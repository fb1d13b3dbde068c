/** Events as a table, CSV, JSON or lines of JSON. The table has no room for what is in them. */
import type { LoggedEvent } from '@svc/contracts/admin/events'
import { csvLine, csvText } from '@svc/contracts/csv'
import { jsonText } from '@svc/contracts/json-text'
import { type Column, Table } from './table.ts'

export interface EventWriter {
  /** The first rows come with what stands before them; they may be none. */
  rows(events: readonly LoggedEvent[]): string
  /** @param next where the log goes on; null when all of it was shown */
  closing(next: string | null): string
  /** Columns that did not fit the terminal. */
  readonly leftOut?: readonly string[]
}

/** Wide enough for any row: those of `tail` come one by one. */
const columns: readonly Column<LoggedEvent>[] = [
  { title: 'POSITION', align: 'right', width: 8, text: (event) => event.position },
  { title: 'STREAM', width: 39, text: (event) => event.stream },
  { title: 'REVISION', align: 'right', leftOut: 3, text: (event) => `${event.revision}` },
  { title: 'TYPE', width: 16, text: (event) => event.type },
  { title: 'ID', width: 36, leftOut: 2, text: (event) => event.id },
  { title: 'HASH', width: 64, leftOut: 1, text: (event) => event.hash },
]

function tableWriter(widthMax?: number): EventWriter {
  const table = new Table(columns, widthMax)
  let first = true
  return {
    rows(events) {
      const header = first ? table.header(events) : ''
      first = false
      return header + table.rows(events)
    },
    closing: () => '',
    get leftOut() {
      return table.leftOut
    },
  }
}

const CSV_COLUMNS = ['position', 'stream', 'revision', 'type', 'id', 'hash', 'data', 'metadata']

function csvWriter(): EventWriter {
  let header = csvLine(CSV_COLUMNS)
  return {
    rows(events) {
      const text = header + events.map(csvRow).join('')
      header = ''
      return text
    },
    closing: () => '',
  }
}

function csvRow({
  position,
  stream,
  revision,
  type,
  id,
  hash,
  data,
  metadata,
}: LoggedEvent): string {
  const texts = [jsonText(data), jsonText(metadata)].map(csvText)
  return csvLine([position, csvText(stream), `${revision}`, csvText(type), id, hash, ...texts])
}

/** Writes one object around all events, piece by piece. */
function jsonWriter(): EventWriter {
  let opening = '{"schema":"svc.events/1","events":['
  let separator = ''
  return {
    rows(events) {
      const text = events.map((event) => jsonText(event)).join(',')
      const whole = opening + (text === '' ? '' : separator + text)
      opening = ''
      if (text !== '') separator = ','
      return whole
    },
    closing: (next) => `],"more":${next !== null},"next":${jsonText(next)}}\n`,
  }
}

const jsonLines: EventWriter = {
  rows: (events) => events.map((event) => `${jsonText(event)}\n`).join(''),
  closing: () => '',
}

/** Writers by format, for one list. The argument is the widest line that the reader can take. */
export const eventWriters = {
  table: tableWriter,
  csv: csvWriter,
  json: jsonWriter,
  jsonl: () => jsonLines,
} as const satisfies Record<string, (widthMax?: number) => EventWriter>
