/** Alters the file of an event log behind its back, as somebody with a SQLite shell could. */
import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { NO_STREAM } from '@svc/contracts/ports/event-store'
import { linkText } from '@svc/contracts/ports/hash-chain'

/** Cuts everything off that lies behind a position. */
export function cutLog(path: string, lastPosition: number): void {
  run(path, `DELETE FROM event WHERE position > ${lastPosition}`)
}

/** Removes a stream with all its events, and leaves no trace of its name. */
export function removeStream(path: string, name: string): void {
  const id = `(SELECT id FROM stream WHERE name = '${name}')`
  run(path, `DELETE FROM event WHERE stream_id = ${id}; DELETE FROM stream WHERE name = '${name}'`)
}

/** Puts another text in the place of those that begin so, and takes away all of an owner. */
export function alterTexts(path: string, beginning: string, owner: string): void {
  run(
    path,
    `UPDATE text SET text = 'Eve' WHERE text LIKE '${beginning}%';
     DELETE FROM text WHERE owner = '${owner}'`,
  )
}

function run(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  try {
    database.exec(sql)
  } finally {
    database.close()
  }
}

/** Changes the data of every event of a stream, and makes all of its hashes anew. */
export function rewriteStream(
  path: string,
  stream: string,
  change: (data: string) => string,
): void {
  const database = new DatabaseSync(path)
  try {
    const rows = database
      .prepare(
        `SELECT position, revision, lower(hex(id)) AS id, type, data, metadata FROM event
         WHERE stream_id = (SELECT id FROM stream WHERE name = ?) ORDER BY revision`,
      )
      .all(stream) as unknown as Row[]
    const put = database.prepare('UPDATE event SET data = ?, hash = ? WHERE position = ?')
    let previous = NO_STREAM.hash
    for (const { position, ...row } of rows) {
      const id = row.id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
      const event = { ...row, stream, id, data: change(row.data) }
      previous = hash('sha256', linkText(previous, event), 'hex')
      put.run(event.data, Buffer.from(previous, 'hex'), position)
    }
  } finally {
    database.close()
  }
}

interface Row {
  readonly position: number
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
}
