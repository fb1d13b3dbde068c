/** What people do on a page, timed inside the page. */
import type { Page } from 'playwright-core'

/** Something that does not come at all ends the benchmark, and says what did not. */
const TURN_MAX_MS = 30_000

/** Expressions that run in the page: what is done, and what then stands there. */
export interface Interaction {
  readonly name: string
  /** Before the time is taken. */
  readonly prepare?: (turn: number) => Promise<unknown>
  readonly act: (turn: number) => string
  readonly until: (turn: number) => string
}

/** Of one turn, in milliseconds from the click. */
export interface Timed {
  /** Until what was asked for is painted. */
  readonly painted: number
  /** Until the server was asked; as those below null where it was not. */
  readonly asked: number | null
  readonly answered: number | null
}

export const rows = `document.querySelectorAll('tr[data-row]').length`
/** Grows with the steps of time that are drawn. */
export const drawn = `[...(document.querySelector('figure')?.querySelectorAll('svg path') ?? [])]
  .reduce((length, path) => length + path.getAttribute('d').length, 0)`
export const firstRow = `(document.querySelector('tr[data-row]')?.textContent ?? '')`

/** @throws when what is waited for does not come, with the turn and what stands there instead */
export async function timesOf(
  page: Page,
  turns: number,
  { name, prepare, act, until }: Interaction,
): Promise<readonly Timed[]> {
  const times: Timed[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    await prepare?.(turn)
    try {
      times.push(await page.evaluate<Timed>(timeOf(act(turn), until(turn))))
    } catch (cause) {
      const shown = await page.evaluate<string>(firstRow).catch(() => '')
      const place = `${name}, turn ${turn}, at ${page.url()}, first row "${shown}"`
      throw new Error(`what is waited for does not come: ${place}`, { cause })
    }
  }
  return times
}

/** Until the frame after the one in which it stands there has begun: then it is painted. */
function timeOf(act: string, until: string): string {
  return `new Promise((done, fail) => {
    const before = { rows: ${rows}, drawn: ${drawn}, firstRow: ${firstRow} }
    performance.clearResourceTimings()
    const from = performance.now();
    ${act};
    const times = (painted) => {
      const [first] = performance.getEntriesByType('resource')
        .filter(({ initiatorType, startTime }) => initiatorType === 'fetch' && startTime >= from)
      return { painted: painted - from, asked: first ? first.startTime - from : null,
        answered: first ? first.responseEnd - from : null }
    }
    const look = () => {
      if (performance.now() - from > ${TURN_MAX_MS}) return fail(new Error('too late'))
      if (!(${until})) return requestAnimationFrame(look)
      requestAnimationFrame(() => done(times(performance.now())))
    }
    requestAnimationFrame(look)
  })`
}

export const setField = (label: string, value: string) => `(() => {
  const label = [...document.querySelectorAll('label')].find((e) => e.textContent === '${label}')
  const field = document.getElementById(label.htmlFor)
  const type = field instanceof HTMLSelectElement ? HTMLSelectElement : HTMLInputElement
  Object.getOwnPropertyDescriptor(type.prototype, 'value').set.call(field, '${value}')
  field.dispatchEvent(new Event(type === HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
})()`

export const submit = (label: string) => `(() => {
  const label = [...document.querySelectorAll('label')].find((e) => e.textContent === '${label}')
  document.getElementById(label.htmlFor).form.requestSubmit()
})()`

export const press = (text: string) =>
  `[...document.querySelectorAll('button')].find((e) => e.textContent === '${text}').click()`
