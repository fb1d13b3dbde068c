/** The texts that all string keywords of an alternative allow together. */
import { type Expression, sequence, text } from '../gbnf/expression.ts'
import { TooMuchWork, Work } from '../gbnf/work.ts'
import { restOfString, stringOfLength } from '../json/json-text.ts'
import { Automaton, TooManyStates } from '../pattern/automaton.ts'
import { patternAutomaton } from '../pattern/pattern-automaton.ts'
import { parsePattern, UnsupportedPattern } from '../pattern/regular-expression.ts'
import { formlessFormats, stringFormats } from '../pattern/string-format.ts'
import type { Demands } from './demands.ts'
import { own, type SchemaDocument, type SchemaMember } from './schema-document.ts'

/** Steps that one automaton may cost: that of a pattern, or one of two that hold together. */
const AUTOMATON_STEPS_MAX = 300_000
/** What following an automaton by one character costs, about. */
const ACCEPT_STEPS = 4
/** What the expression of a text without a form costs. */
const PLAIN_STEPS = 100
/** What the expression of an automaton costs, for each step of looking at all of it. */
export const WRITING_STEPS = 4

/**
 * The automata of formats. There are only as many as formats, and they are made once, so that no
 * schema pays for them.
 */
const formatAutomata = new Map<string, Automaton>()

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
  readonly #apart = new Map<string, boolean>()

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

  /** Writes texts as an expression. Equal demands share their rules. */
  expression({ min, max, form }: Texts): Expression {
    const key = form === null ? `${min} to ${max}` : `form ${form.key}`
    const known = this.#expressions.get(key)
    if (known !== undefined) return known
    this.#document.spend('', form === null ? PLAIN_STEPS : WRITING_STEPS * form.automaton.size)
    const expression =
      form === null
        ? stringOfLength(min, max)
        : sequence(text('"'), restOfString(form.automaton, form.key))
    this.#expressions.set(key, expression)
    return expression
  }

  allows({ min, max, form }: Texts, value: string): boolean {
    this.#document.spend('', value.length * ACCEPT_STEPS)
    const length = Array.from(value).length
    const fits = length >= min && length <= (max ?? length)
    return fits && (form === null || form.automaton.accepts(value))
  }

  /** Whether no text is among both. False where that would be hard to tell. */
  apart(a: Texts, b: Texts): boolean {
    if (a.min > (b.max ?? a.min) || b.min > (a.max ?? b.min)) return true
    if (a.form === null || b.form === null) return false
    const [one, other] = [a.form, b.form]
    const key = `${one.key}\n\n${other.key}`
    const known = this.#apart.get(key)
    if (known !== undefined) return known
    const both = this.#within('', (work) => one.automaton.and(other.automaton, work))
    const apart = both?.isEmpty ?? false
    this.#apart.set(key, apart)
    return apart
  }

  /** @returns undefined when that is too large, or takes too many steps */
  #within(path: string, make: (work: Work) => Automaton): Automaton | undefined {
    try {
      return make(this.#document.work.part(AUTOMATON_STEPS_MAX))
    } catch (error) {
      const isLarge = error instanceof TooManyStates || error instanceof TooMuchWork
      if (!isLarge) throw error
      // Nor is the schema given up for it, unless that is all that it may cost.
      this.#document.spend(path, 0)
      return undefined
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
      if (keyword === 'format') found = formatAutomaton(source)
      else {
        this.#document.spend(member.path, source.length)
        found = this.#patternAutomaton(member, source)
      }
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
    return this.#made(member, 'pattern', key, (work) => form.automaton.and(more, work)) ?? form
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
    const make = (work: Work) => form.automaton.ofLength(min, max, work)
    return this.#made(limits ?? member, keyword, key, make) ?? form
  }

  #patternAutomaton(member: SchemaMember, source: string): Automaton | string {
    try {
      const pattern = parsePattern(source)
      const made = this.#within(member.path, (work) => patternAutomaton(pattern, work))
      return made ?? 'is too large to be written out'
    } catch (error) {
      if (error instanceof UnsupportedPattern) return error.message
      throw error
    }
  }

  #made(
    member: SchemaMember,
    keyword: string,
    key: string,
    make: (work: Work) => Automaton,
  ): Texts['form'] {
    const automaton = this.#known.get(key) ?? this.#within(member.path, make)
    if (automaton === undefined) {
      this.#document.unsupported(member, keyword, 'is too large together with the form of the text')
      return null
    }
    this.#known.set(key, automaton)
    return { automaton, key }
  }
}

function formatAutomaton(source: string): Automaton {
  const known = formatAutomata.get(source)
  if (known !== undefined) return known
  const automaton = patternAutomaton(parsePattern(source), new Work(Number.POSITIVE_INFINITY))
  formatAutomata.set(source, automaton)
  return automaton
}
