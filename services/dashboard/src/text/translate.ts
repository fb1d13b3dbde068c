/** Every sentence that the pages show, by a name. A name that is not there fails the type check. */
import { english } from './english.ts'
import { isolated } from './isolated.ts'

type Catalogue = Readonly<Record<string, string>>

/** The names in braces: `{count}` has to be given as `count`. */
type Blanks<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Blanks<Rest>
  : never

type Given<Text extends string> =
  Blanks<Text> extends never ? [] : [values: Readonly<Record<Blanks<Text>, string | number>>]

/** Names of texts without blanks: any of them can be chosen while the page runs. */
export type PlainNameOf<Texts extends Catalogue> = {
  [Name in keyof Texts]: Blanks<Texts[Name]> extends never ? Name : never
}[keyof Texts]

export type PlainName = PlainNameOf<typeof english>

/** What stands under a name, with its blanks filled in: a name in one never turns the others. */
type Translate<Texts extends Catalogue> = <Name extends keyof Texts>(
  name: Name,
  ...values: Given<Texts[Name]>
) => string

export function translator<const Texts extends Catalogue>(texts: Texts): Translate<Texts> {
  return (name, ...[values]) => {
    const text = texts[name] as string
    if (values === undefined) return text
    const filled: Readonly<Record<string, string | number>> = values
    return text.replaceAll(/\{(\w+)\}/g, (blank, key: string) => {
      const value = filled[key]
      return value === undefined ? blank : isolated(String(value))
    })
  }
}

export const t = translator(english)
