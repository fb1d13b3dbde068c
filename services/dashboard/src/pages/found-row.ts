/** Attributes of a table's row that was looked for: it comes under the eyes and the keys. */
export const foundRow = { ref: showFound, tabIndex: -1 } as const

function showFound(row: HTMLTableRowElement | null): void {
  row?.focus()
  row?.scrollIntoView({ block: 'center' })
}
