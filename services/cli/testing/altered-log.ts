/** Alters the file of an event log behind its back, as somebody with a SQLite shell could. */
import { DatabaseSync } from 'node:sqlite'

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
