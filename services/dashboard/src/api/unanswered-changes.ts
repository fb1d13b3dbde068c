/**
 * Changes that were sent and never answered, such as a grant during which the server was restarted.
 * Nobody knows whether they were done. Whoever types the same again, in another form or after a
 * reload, sends it under the key it had: it happens once. It is kept in this tab alone.
 */

const STORED_AS = 'svc-unanswered-changes'
/** Behind it the same is meant anew: somebody has long looked whether it was done. */
const KEPT_MS = 60 * 60 * 1_000
const KEPT_MAX = 20

interface Unanswered {
  /** What was asked, as JSON. */
  readonly content: string
  readonly key: string
  /** When, by the clock of the browser. */
  readonly asked: number
}

export function noteAsked(content: string, key: string): void {
  const others = unanswered().filter((each) => each.key !== key)
  keep([...others, { content, key, asked: Date.now() }].slice(-KEPT_MAX))
}

/** What is known to be done, or to be refused, is another change when it is asked again. */
export function noteAnswered(key: string): void {
  keep(unanswered().filter((each) => each.key !== key))
}

export function keyOfUnanswered(content: string): string | undefined {
  return unanswered().find((each) => each.content === content)?.key
}

function unanswered(): readonly Unanswered[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORED_AS) ?? '[]') as readonly Unanswered[]
    return kept.filter(({ asked }) => Date.now() - asked < KEPT_MS)
  } catch {
    return []
  }
}

function keep(changes: readonly Unanswered[]): void {
  try {
    if (changes.length === 0) sessionStorage.removeItem(STORED_AS)
    else sessionStorage.setItem(STORED_AS, JSON.stringify(changes))
  } catch {
    // Storage is full or switched off: a key lasts as long as its form.
  }
}
