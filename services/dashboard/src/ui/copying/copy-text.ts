/**
 * Copies a text, also on `http://` addresses of a local network, where browsers withhold the
 * clipboard API.
 *
 * @param inside in an open dialog nothing outside of it can be selected
 * @returns whether it worked
 */
export async function copyText(text: string, inside: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text, inside)
  }
}

function copySelected(text: string, inside: Element): boolean {
  const place = document.createElement('span')
  place.textContent = text
  place.className = 'sr-only whitespace-pre'
  inside.append(place)
  const range = document.createRange()
  range.selectNodeContents(place)
  const selection = getSelection()
  selection?.removeAllRanges()
  selection?.addRange(range)
  try {
    return document.execCommand('copy')
  } finally {
    selection?.removeAllRanges()
    place.remove()
  }
}
