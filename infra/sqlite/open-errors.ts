/** Messages for an operator whose file is not opened: what is wrong, and what to do about it. */

import { dirname } from 'node:path'
import { freeBytesSync } from '../free-bytes.ts'
import { StoreOpenError } from '../store-open-error.ts'
import {
  RESTORE_IT,
  SQLITE_BUSY,
  SQLITE_CANTOPEN,
  SQLITE_FULL,
  SQLITE_IOERR,
  SQLITE_LOCKED,
  SQLITE_READONLY,
  sqliteCodeOf,
} from './sqlite-errors.ts'

/** SQLite needs more than this for the index of a write-ahead log and its first pages. */
const ROOM_BYTES = 1024 * 1024

export function inUse(path: string): StoreOpenError {
  return new StoreOpenError(
    'in-use',
    `${path} is in use by another process: stop that one, or name another data folder`,
  )
}

export function newerSchema(path: string, version: number, known: number): StoreOpenError {
  return new StoreOpenError(
    'newer-schema',
    `${path} was written by a newer version (schema ${version}, this program knows ${known}): ` +
      'run that version or a later one',
  )
}

export function foreignFile(path: string, what: string): StoreOpenError {
  return new StoreOpenError(
    'foreign-file',
    `${path} is not ${what}: move it away, restore it from a backup, or name another data folder`,
  )
}

function damaged(path: string, cause: unknown): StoreOpenError {
  return new StoreOpenError('damaged', `${path} is damaged and cannot be read: ${RESTORE_IT}`, {
    cause,
  })
}

/** The end of the file is gone. */
export function cutShort(path: string): StoreOpenError {
  return new StoreOpenError(
    'damaged',
    `${path} is damaged: it is shorter than its first page says. Stop svc, and ${RESTORE_IT}`,
  )
}

export function notWritable(path: string, cause?: unknown): StoreOpenError {
  return new StoreOpenError(
    'not-writable',
    `${path} cannot be written: create its folder, or mend the permissions of folder and file`,
    { cause },
  )
}

function diskFull(path: string, cause: unknown): StoreOpenError {
  return new StoreOpenError(
    'disk-full',
    `${path} cannot be opened because the disk is full: free some space`,
    { cause },
  )
}

function diskError(path: string, cause: unknown): StoreOpenError {
  return new StoreOpenError(
    'disk-error',
    `${path} cannot be opened because its disk gave an error: check the disk, then start again`,
    { cause },
  )
}

export function unsafeSqlite(version: string): StoreOpenError {
  return new StoreOpenError(
    'unsafe-sqlite',
    `SQLite ${version} of this Node.js can damage files: use the Node.js that npm installed`,
  )
}

/** The refusal that an error in opening stands for. */
export function refusalOf(error: unknown, path: string): StoreOpenError {
  if (error instanceof StoreOpenError) return error
  switch (sqliteCodeOf(error)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return inUse(path)
    case SQLITE_FULL:
      return diskFull(path, error)
    case SQLITE_IOERR:
      return hasRoom(path) ? diskError(path, error) : diskFull(path, error)
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      return notWritable(path, error)
    case undefined:
      return isNoSpace(error) ? diskFull(path, error) : notWritable(path, error)
    default:
      return damaged(path, error)
  }
}

/**
 * Gives the refusal that an error of the disk stands for, wherever in the opening of a folder it
 * was met: a note, a view. Any other error is given back as it is.
 *
 * @param path what could not be opened
 */
export function diskRefusalOf(error: unknown, path: string): unknown {
  const code = sqliteCodeOf(error)
  const isOfDisk = code === SQLITE_FULL || code === SQLITE_IOERR || isNoSpace(error)
  return isOfDisk ? refusalOf(error, path) : error
}

/** SQLite calls a full disk an error of the disk where it grows the index of its log. */
function hasRoom(path: string): boolean {
  try {
    return freeBytesSync(dirname(path)) >= ROOM_BYTES
  } catch {
    // A disk that does not answer is not called full.
    return true
  }
}

function isNoSpace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC'
}
