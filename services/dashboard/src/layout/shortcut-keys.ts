/** Single keys that lead around, outside of everything that one types into. */

/** How long after `g` the letter of an area counts, in milliseconds. */
const AREA_KEY_MS = 1_500
const STORED_AS = 'svc-shortcuts'

export interface ShortcutKeys {
  /** Leads to the area that the letter stands for. */
  goTo(letter: string): void
  help(): void
}

/** @returns what takes the keys of a page, one after another */
export function shortcutHandler({ goTo, help }: ShortcutKeys): (event: KeyboardEvent) => void {
  let areaKeyUntil = 0
  const actions: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
    g: ({ timeStamp }) => {
      areaKeyUntil = timeStamp + AREA_KEY_MS
    },
    j: () => focusRow(1),
    k: () => focusRow(-1),
    o: openRow,
    '?': help,
    '/': (event) => {
      // Without this the field would get the sign of the shortcut.
      event.preventDefault()
      const box = document.querySelector<HTMLInputElement>('[data-find]')
      box?.focus()
      box?.select()
    },
  }
  return (event) => {
    if (isElsewhere(event)) return
    const isArea = event.timeStamp < areaKeyUntil
    areaKeyUntil = 0
    if (isArea) goTo(event.key)
    else actions[event.key]?.(event)
  }
}

/** Keys of the browser, of a field, and of a dialog: what is behind it cannot be reached. */
function isElsewhere({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  const isCommand = ctrlKey || metaKey || altKey
  return isCommand || isTyping(target) || document.querySelector('dialog[open]') !== null
}

export function areShortcutsOn(): boolean {
  try {
    return localStorage.getItem(STORED_AS) !== 'off'
  } catch {
    return true
  }
}

export function rememberShortcuts(areOn: boolean): void {
  try {
    localStorage.setItem(STORED_AS, areOn ? 'on' : 'off')
  } catch {
    // Storage is switched off: the choice holds until the page is left.
  }
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'))
  )
}

/** Moves the focus among rows, in the order in which the list shows them. */
function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))
  const row = rows[next]
  const place = row?.querySelector<HTMLElement>('a') ?? row
  if (place === row) row?.setAttribute('tabindex', '-1')
  place?.focus()
}

/** Follows its link. What a row changes is done by its buttons alone. */
function openRow(): void {
  document.activeElement?.closest('[data-row]')?.querySelector<HTMLElement>('a')?.click()
}
