/** What the keys of an account are called where several stand in one list. */
import { isolated } from '../text/isolated.ts'

export interface NamedKey {
  readonly key_id: string
  readonly name: string
  /** The last characters of the secret. */
  readonly last_four: string
}

/** By the id of a key. */
export type KeyNames = ReadonlyMap<string, string>

/**
 * A key that is rotated has the name of the one before, and people give a name twice: those have
 * the visible end of their secret behind it, as the list of keys shows it.
 */
export function keyNames(keys: readonly NamedKey[]): KeyNames {
  const withEnds = new Map(
    keys.map((key) => [key.key_id, `${isolated(key.name)} …${key.last_four}`]),
  )
  const names = sharedOf(keys.map(({ name }) => name))
  const ends = sharedOf([...withEnds.values()])
  const nameOf = ({ key_id: id, name }: NamedKey) => {
    const withEnd = withEnds.get(id) ?? name
    if (!names.has(name)) return name
    return ends.has(withEnd) ? `${isolated(name)} ${id}` : withEnd
  }
  return new Map(keys.map((key) => [key.key_id, nameOf(key)]))
}

/** Those that are there more than once. */
function sharedOf(texts: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>()
  return new Set(
    texts.filter((text) => {
      const isThere = seen.has(text)
      seen.add(text)
      return isThere
    }),
  )
}
