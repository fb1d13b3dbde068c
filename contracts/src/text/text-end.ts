/**
 * Takes the end off a text.
 *
 * `/0+$/` would begin anew at each zero of a run that another character ends: a megabyte of them
 * from a customer keeps a process busy for minutes.
 *
 * @param character one UTF-16 code unit
 * @returns the text without all that it ends with of this character
 */
export function withoutLast(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}
