/**
 * Makes of a double-click one press, and of a key that is held one too. A form whose answer comes
 * in between has another button where the first one stood, such as the one that grants what was
 * only to be reviewed; and of two changes at once only the later one is told about.
 */
export function takeMeantPressesOnly(): void {
  document.addEventListener('click', stopSecondClick, { capture: true })
  document.addEventListener('keydown', stopHeldKey, { capture: true })
}

function stopSecondClick(event: MouseEvent): void {
  const { detail: clicks, target } = event
  if (clicks < 2 || !(target instanceof Element) || target.closest('button') === null) return
  event.preventDefault()
  event.stopPropagation()
}

/** In a text of several lines a held key is meant. */
function stopHeldKey(event: KeyboardEvent): void {
  const { key, repeat, target } = event
  if (repeat && key === 'Enter' && !(target instanceof HTMLTextAreaElement)) event.preventDefault()
}
