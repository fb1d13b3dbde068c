/**
 * What a worker found out by trying, kept in a folder so that the next start need not try again: a
 * file for each subject, which names all that the finding depends on.
 *
 * A file that cannot be read, or is of another subject, is none. One that cannot be written costs
 * the next start its time and nothing else.
 */
import { hash } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@svc/infra/made-folder'
import type { Log } from './log.ts'

/** What was tried out, on what. Equal subjects have equal findings. */
export type Subject = Readonly<Record<string, string | number | boolean | null>>

export interface Findings {
  /** @returns undefined when nothing is kept, or when it has to be found out anew */
  find(subject: Subject): Promise<unknown>
  /** Keeps a finding. Never rejects. */
  keep(subject: Subject, finding: object): Promise<void>
}

export interface FindingsSettings {
  readonly folder: string
  /** Whether everything is tried out again at this start. */
  readonly anew: boolean
}

/** A finding is less than a kilobyte: something else of that name is not read. */
const FILE_BYTES_MAX = 16_384
/** Models, versions and settings that are remembered at once; the oldest are forgotten. */
const FILES_MAX = 64
const NAME_CHARACTERS = 32
const OWNER_ONLY_FILE = 0o600

export function findingsIn({ folder, anew }: FindingsSettings, log: Log): Findings {
  return {
    async find(subject) {
      if (anew) return undefined
      return await read(join(folder, nameOf(subject)), subject).catch(() => undefined)
    },
    async keep(subject, finding) {
      try {
        makeFolder(folder)
        const path = join(folder, nameOf(subject))
        const unfinished = `${path}.${process.pid}`
        const text = `${JSON.stringify({ subject, finding })}\n`
        await writeFile(unfinished, text, { mode: OWNER_ONLY_FILE })
        await rename(unfinished, path)
        await forgetOldest(folder)
      } catch (error) {
        log('info', 'cannot remember the self-test, the next start repeats it', { err: error })
      }
    },
  }
}

function nameOf(subject: Subject): string {
  return `${hash('sha256', JSON.stringify(subject), 'hex').slice(0, NAME_CHARACTERS)}.json`
}

async function read(path: string, subject: Subject): Promise<unknown> {
  if ((await stat(path)).size > FILE_BYTES_MAX) return undefined
  const kept = JSON.parse(await readFile(path, 'utf8'))
  return JSON.stringify(kept.subject) === JSON.stringify(subject) ? kept.finding : undefined
}

async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= FILES_MAX) return
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      return { path, keptMs: (await stat(path)).mtimeMs }
    }),
  )
  const oldest = files.toSorted((one, other) => one.keptMs - other.keptMs)
  for (const { path } of oldest.slice(0, -FILES_MAX)) await rm(path, { force: true })
}
