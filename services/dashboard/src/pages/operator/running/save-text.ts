/** Saves a text of the page as a file of the reader. */
export function saveText(name: string, contentType: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: contentType }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
