/** The texts that all string keywords of an alternative allow together. */
import { Automaton, TooManyStates } from './automaton.ts'
import type { Demands } from './demands.ts'
import { type Expression, sequence, text } from './expression.ts'
import { restOfString, stringOfLength } from './json-text.ts'
import { patternAutomaton } from './pattern-automaton.ts'
import { parsePattern, UnsupportedPattern } from './regular-expression.ts'
import { own, type SchemaDocument, type SchemaMember } from './schema-document.ts'
import { formlessFormats, stringFormats } from './string-format.ts'

/** What making one automaton of two, and one of a pattern, may cost, in other steps. */
const AUTOMATON_STEPS = 500
const PATTERN_STEPS = 2000

/** As many as there are formats: they are made once. */
const formatAutomata = new Map<string, Automaton | string>()

export interface Texts {
  readonly min: number
  readonly max: number | null
  /** What their form must be, lengths included; null: any form. */
  readonly form: { readonly automaton: Automaton; readonly key: string } | null
}

export class StringTexts {
  readonly #document: SchemaDocument
  readonly #demands: Demands
  readonly #patterns = new Map<string, Automaton | string>()
  readonly #known = new Map<string, Automaton>()
  readonly #expressions = new Map<string, Expression>()

  constructor(document: SchemaDocument, demands: Demands) {
    this.#document = document
    this.#demands = demands
  }

  of(members: readonly SchemaMember[]): Texts {
    const length = this.#demands.bounds(members, 'minLength', 'maxLength')
    let [max, form]: [number | null, Texts['form']] = [length.max, null]
    for (const member of members) {
      for (const { keyword, pattern, lengthMax } of this.#forms(member)) {
        const more = this.#automaton(member, keyword, pattern)
        if (more === undefined) continue
        form =
          form === null
            ? { automaton: more, key: pattern }
            : this.#both(member, form, more, pattern)
        if (lengthMax !== null) max = Math.min(max ?? lengthMax, lengthMax)
      }
    }
    if (form === null) return { ...length, form }
    const measured = this.#measured(members, form, length.min, max)
    return { min: length.min, max, form: measured }
  }

  /** The same texts are written by the same rules. */
  expression({ min, max, form }: Texts): Expression {
    const key = form === null ? `${min} to ${max}` : `form ${form.key}`
    const known = this.#expressions.get(key)
    if (known !== undefined) return known
    const expression =
      form === null
        ? stringOfLength(min, max)
        : sequence(text('"'), restOfString(form.automaton, form.key))
    this.#expressions.set(key, expression)
    return expression
  }

  allows({ min, max, form }: Texts, value: string): boolean {
    const length = Array.from(value).length
    const fits = length >= min && length <= (max ?? length)
    return fits && (form === null || form.automaton.accepts(value))
  }

  /** Whether no text is among both. False where that would be hard to tell. */
  apart(a: Texts, b: Texts): boolean {
    if (a.min > (b.max ?? a.min) || b.min > (a.max ?? b.min)) return true
    if (a.form === null || b.form === null) return false
    this.#document.spend('', AUTOMATON_STEPS)
    try {
      return a.form.automaton.and(b.form.automaton).isEmpty
    } catch (error) {
      if (error instanceof TooManyStates) return false
      throw error
    }
  }

  #forms(member: SchemaMember): { keyword: string; pattern: string; lengthMax: number | null }[] {
    const pattern = own(member.schema, 'pattern')
    const forms = []
    if (typeof pattern === 'string') forms.push({ keyword: 'pattern', pattern, lengthMax: null })
    else if (pattern !== undefined) this.#document.unsupported(member, 'pattern', 'is not a text')
    const name = own(member.schema, 'format')
    if (name === undefined || formlessFormats.includes(String(name))) return forms
    const format = stringFormats.get(String(name))
    if (format !== undefined) forms.push({ keyword: 'format', ...format })
    else this.#document.unsupported(member, 'format', 'is a format that is not enforced')
    return forms
  }

  #automaton(member: SchemaMember, keyword: string, source: string): Automaton | undefined {
    let found = this.#patterns.get(source)
    if (found === undefined) {
      const isFormat = keyword === 'format'
      this.#document.spend(member.path, isFormat ? 1 : PATTERN_STEPS)
      found = formatAutomata.get(source) ?? automatonOrReason(source)
      if (isFormat) formatAutomata.set(source, found)
      this.#patterns.set(source, found)
    }
    if (found instanceof Automaton) return found
    this.#document.unsupported(member, keyword, found)
    return undefined
  }

  #both(
    member: SchemaMember,
    form: NonNullable<Texts['form']>,
    more: Automaton,
    pattern: string,
  ): Texts['form'] {
    const key = `${form.key}\n${pattern}`
    return this.#made(member, 'pattern', key, () => form.automaton.and(more)) ?? form
  }

  #measured(
    members: readonly SchemaMember[],
    form: NonNullable<Texts['form']>,
    min: number,
    max: number | null,
  ): Texts['form'] {
    const [member] = members
    if (member === undefined || (min === 0 && max === null)) return form
    const key = `${form.key}\n${min} to ${max}`
    const limits = members.find(
      ({ schema }) => Object.hasOwn(schema, 'maxLength') || Object.hasOwn(schema, 'minLength'),
    )
    const keyword = Object.hasOwn(limits?.schema ?? {}, 'maxLength') ? 'maxLength' : 'minLength'
    return (
      this.#made(limits ?? member, keyword, key, () => form.automaton.ofLength(min, max)) ?? form
    )
  }

  #made(member: SchemaMember, keyword: string, key: string, make: () => Automaton): Texts['form'] {
    try {
      const automaton = this.#known.get(key) ?? make()
      if (!this.#known.has(key)) this.#document.spend(member.path, AUTOMATON_STEPS)
      this.#known.set(key, automaton)
      return { automaton, key }
    } catch (error) {
      if (!(error instanceof TooManyStates)) throw error
      this.#document.unsupported(member, keyword, 'is too large together with the form of the text')
      return null
    }
  }
}

function automatonOrReason(source: string): Automaton | string {
  try {
    return patternAutomaton(parsePattern(source))
  } catch (error) {
    if (error instanceof UnsupportedPattern) return error.message
    if (error instanceof TooManyStates) return 'is too large to be written out'
    throw error
  }
}
