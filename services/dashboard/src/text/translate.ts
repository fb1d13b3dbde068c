/** Every sentence that the pages show, by a name. A name that is not there fails the type check. */
import { english } from './english.ts'
import { isolated } from './isolated.ts'

export type TextName = keyof typeof english

/** The names in braces: `{count}` has to be given as `count`. */
type Blanks<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Blanks<Rest>
  : never

type Given<Name extends TextName> =
  Blanks<(typeof english)[Name]> extends never
    ? []
    : [values: Readonly<Record<Blanks<(typeof english)[Name]>, string | number>>]

/** Names of texts without blanks: any of them can be chosen while the page runs. */
export type PlainName = {
  [Name in TextName]: Blanks<(typeof english)[Name]> extends never ? Name : never
}[TextName]

/** What stands under a name, with its blanks filled in: a name in one never turns the others. */
export function t<Name extends TextName>(name: Name, ...[values]: Given<Name>): string {
  const text: string = english[name]
  if (values === undefined) return text
  const filled: Readonly<Record<string, string | number>> = values
  return text.replaceAll(/\{(\w+)\}/g, (blank, key: string) => {
    const value = filled[key]
    return value === undefined ? blank : isolated(String(value))
  })
}
