/** Alters the file of an event log behind its back, as somebody with a SQLite shell could. */
import { DatabaseSync } from 'node:sqlite'

/**
 * Runs a statement. What of the names stands in it with a colon before it is bound to the id of the
 * stream.
 */
export function alterFile(
  path: string,
  statement: string,
  streams: Readonly<Record<string, string>> = {},
): void {
  const database = new DatabaseSync(path)
  try {
    const select = database.prepare('SELECT id FROM stream WHERE name = ?')
    const idOf = (stream: string) => (select.get(stream) as { id: number }).id
    const used = Object.entries(streams).filter(([name]) => statement.includes(`:${name}`))
    const ids = used.map(([name, stream]) => [name, idOf(stream)] as const)
    database.prepare(statement).run(Object.fromEntries(ids))
  } finally {
    database.close()
  }
}

/** Runs statements one after the other, as they are. */
export function runInFile(path: string, statements: string): void {
  const database = new DatabaseSync(path)
  try {
    database.exec(statements)
  } finally {
    database.close()
  }
}
