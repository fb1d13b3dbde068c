/** Saves a text of the page, in its pieces, as a file of the reader. */
export function saveText(name: string, contentType: string, pieces: readonly string[]): void {
  const address = URL.createObjectURL(new Blob([...pieces], { type: contentType }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
