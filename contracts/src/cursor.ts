/**
 * Where a list goes on: opaque text that only the very list which gave it takes back. It holds
 * nothing that its reader may not see, so what a forged one could reach is what a query could.
 */
import { hash } from 'node:crypto'
import { ServiceError } from './errors.ts'

/** A change of what a place means is a new version: cursors of the old one are then refused. */
const VERSION = 'c1'
const CHECK_CHARACTERS = 16
const CURSOR = /^(.*)\.([0-9a-f]{16})$/s
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,15})$/

/**
 * @param list names the list: its kind, whose it is, and what it was filtered by
 * @param place where it goes on, without spaces
 */
export function cursorText(list: readonly unknown[], place: string): string {
  return `${place}.${checkOf(list, place)}`
}

/**
 * @returns the place
 * @throws {ServiceError} `invalid_value` for text that no such list gave
 */
export function cursorPlace(list: readonly unknown[], cursor: string): string {
  const [, place, check] = CURSOR.exec(cursor) ?? []
  if (place !== undefined && check === checkOf(list, place)) return place
  throw ofNoPage()
}

/**
 * Reads the place of a list whose places are whole numbers.
 *
 * @param max the highest place that the list has now
 * @throws as {@link cursorPlace}, also for a forged place that is none of this list
 */
export function cursorNumber(list: readonly unknown[], cursor: string, max: number): number {
  return wholeNumber(cursorPlace(list, cursor), max)
}

/** @param timeMs null: the row is behind all that have a time */
export function cursorTextOfRow(
  list: readonly unknown[],
  timeMs: number | null,
  id: string,
): string {
  return cursorText(list, `${timeMs ?? ''}/${id}`)
}

/**
 * Reads the place of a list in the order of a time, and then of an id.
 *
 * @throws as {@link cursorNumber}
 */
export function cursorRow(
  list: readonly unknown[],
  cursor: string,
): readonly [timeMs: number | null, id: string] {
  const [time = '', id = ''] = cursorPlace(list, cursor).split('/')
  return [time === '' ? null : wholeNumber(time, Number.MAX_SAFE_INTEGER), id]
}

function wholeNumber(text: string, max: number): number {
  if (WHOLE_NUMBER.test(text) && Number(text) <= max) return Number(text)
  throw ofNoPage()
}

function ofNoPage(): ServiceError {
  const message = 'cursor: it belongs to no page of this list: begin again without one'
  return new ServiceError('invalid_value', message, { param: 'cursor' })
}

function checkOf(list: readonly unknown[], place: string): string {
  const text = JSON.stringify([VERSION, list, place])
  return hash('sha256', text, 'hex').slice(0, CHECK_CHARACTERS)
}
