/**
 * Makes a grammar of a JSON Schema (draft 2020-12). Whatever follows the grammar to its end is
 * valid; not everything that is valid follows it: `structured-output.md` says what is left out.
 *
 * The way: the schema's alternatives ({@link Alternatives}), what each demands ({@link Demands}),
 * an expression for it, and without what can never be matched its text ({@link GrammarRules}).
 */
import {
  choice,
  type Expression,
  Matchable,
  NEVER,
  named,
  Rule,
  reference,
} from '../gbnf/expression.ts'
import { addExpression } from '../gbnf/expression-writer.ts'
import { factored } from '../gbnf/factoring.ts'
import type { GrammarRules } from '../gbnf/gbnf.ts'
import { stackBound } from '../gbnf/stack-bound.ts'
import { TooMuchWork, Work } from '../gbnf/work.ts'
import {
  anyBoolean,
  anyObject,
  anyValue,
  exactly,
  nullValue,
  restOfString,
} from '../json/json-text.ts'
import { numberBetween } from '../json/number-range.ts'
import { anyTextBut, TooManyStates } from '../pattern/automaton.ts'
import { type Alternative, Alternatives, NESTING_MAX } from './alternatives.ts'
import { arrayExpression, objectExpression } from './containers.ts'
import { Demands } from './demands.ts'
import { Disjointness } from './disjointness.ts'
import { enforcedKeywords, type TypeName } from './keywords.ts'
import {
  isMember,
  type JsonSchema,
  SchemaDocument,
  type SchemaMember,
  type SchemaNode,
  type SchemaOptions,
  TOO_MUCH_WORK,
} from './schema-document.ts'
import { StringTexts, WRITING_STEPS } from './string-texts.ts'
import { checkKeywords } from './unsupported-keywords.ts'
import { UnsupportedSchema } from './unsupported-schema.ts'
import { ValueCheck } from './value-check.ts'

const RULES_MAX = 4096
const CHARACTERS_MAX = 512 * 1024
/** Properties of one object, or items at the beginning of an array. */
const WIDTH_MAX = 1024
/** What parts cost, in steps, apart from what their size makes them cost. */
const VALUE_STEPS = 20
const ALTERNATIVE_STEPS = 4
const MEMBER_STEPS = 100
const RANGE_STEPS = { integer: 300, number: 900 }

/**
 * Adds the rules for a schema.
 *
 * @returns the name of the rule for its values
 * @throws UnsupportedSchema when something cannot be enforced and is not to be left out, or nothing
 *   is valid; in any case when the schema is larger than a grammar may be
 */
export function addSchema(rules: GrammarRules, schema: JsonSchema, options: SchemaOptions): string {
  try {
    const work = options.work ?? rules.work
    const document = new SchemaDocument(schema, options, work)
    const root = ruleOf(new Compiler(document).value([document.root], 'answer', 0))
    const matchable = new Matchable(reference(root), work)
    if (matchable.has(reference(root))) return addBounded(rules, root, matchable, document)
    document.unsupported(document.root, '', 'is valid for no value')
    return addAnyValue(rules)
  } catch (error) {
    if (error instanceof TooMuchWork) throw new UnsupportedSchema('', 'size', TOO_MUCH_WORK)
    throw error
  }
}

/** Any JSON object. @returns the rule's name */
export function addAnyObject(rules: GrammarRules): string {
  return addPlain(rules, anyObject)
}

/** Any JSON value. @returns the rule's name */
export function addAnyValue(rules: GrammarRules): string {
  return addPlain(rules, anyValue)
}

/** @throws UnsupportedSchema when it could be read in too many ways at once */
function addBounded(
  rules: GrammarRules,
  plain: Rule,
  matchable: Matchable,
  { work, limits }: SchemaDocument,
): string {
  const root = factored(plain, matchable, work)
  const stacks = stackBound(root, limits.stacksMax, work)
  if (typeof stacks !== 'number') {
    const reason = `can be read in more than ${limits.stacksMax} ways at once`
    throw new UnsupportedSchema(stacks.rule.path ?? '', 'size', reason)
  }
  return add(rules, root, new Matchable(reference(root), work), work)
}

function addPlain(rules: GrammarRules, expression: Expression): string {
  const root = ruleOf(expression)
  const work = new Work()
  return add(rules, root, new Matchable(reference(root), work), work)
}

function ruleOf(expression: Expression): Rule {
  return expression.kind === 'rule' ? expression.rule : new Rule('value', expression)
}

function add(rules: GrammarRules, root: Rule, matchable: Matchable, work: Work): string {
  const checkSize = (more: number, characters: number): void => {
    if (rules.count + more > RULES_MAX) {
      throw new UnsupportedSchema('', 'size', `needs more than ${RULES_MAX} grammar rules`)
    }
    if (rules.characters + characters > CHARACTERS_MAX) {
      throw new UnsupportedSchema('', 'size', `needs a grammar above ${CHARACTERS_MAX} characters`)
    }
  }
  return addExpression(rules, root, matchable, { work, checkSize })
}

class Compiler {
  readonly #document: SchemaDocument
  readonly #alternatives: Alternatives
  readonly #demands: Demands
  readonly #texts: StringTexts
  readonly #values: ValueCheck
  readonly #disjointness: Disjointness
  readonly #known = new Map<string, Expression>()

  constructor(document: SchemaDocument) {
    this.#document = document
    this.#alternatives = new Alternatives(document)
    this.#demands = new Demands(document)
    this.#texts = new StringTexts(document, this.#demands)
    this.#values = new ValueCheck(document, this.#demands, this.#texts)
    this.#disjointness = new Disjointness({
      document,
      alternatives: this.#alternatives,
      demands: this.#demands,
      texts: this.#texts,
      values: this.#values,
    })
  }

  /** A value for which all these schemas hold. The same schemas are compiled once. */
  value(nodes: readonly SchemaNode[], name: string, depth: number): Expression {
    if (nodes.some(({ schema }) => schema === false)) return NEVER
    const members = nodes.filter(isMember)
    if (members.length === 0) return anyValue
    const numbers = new Set(members.map(({ schema }) => this.#document.numberOf(schema)))
    const key = [...numbers].sort((a, b) => a - b).join(' ')
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const path = members[0]?.path ?? ''
    if (depth > NESTING_MAX) {
      throw new UnsupportedSchema(path, 'depth', `is nested more than ${NESTING_MAX} deep`)
    }
    this.#document.spend(path, VALUE_STEPS + members.length)
    const rule = new Rule(name)
    rule.path = path
    this.#known.set(key, reference(rule))
    const alternatives = this.#alternatives.of(members)
    rule.body = simplest(alternatives.map((each) => this.#alternative(each, name, depth)))
    // A rule that only names another is left out, unless something refers to it already.
    return reference(rule)
  }

  #alternative(alternative: Alternative, name: string, depth: number): Expression {
    const { members } = alternative
    const keywords = members.reduce((sum, { schema }) => sum + Object.keys(schema).length, 0)
    this.#document.spend(members[0]?.path ?? '', ALTERNATIVE_STEPS * (members.length + keywords))
    checkKeywords(this.#document, members, this.#demands.writtenTypes(members))
    this.#disjointness.check(alternative)
    const values = this.#demands.values(members)
    if (values !== undefined) {
      const valid = [...values.values()].filter((value) => this.#values.meetsAll(value, members))
      return choice(...valid.map(exactly))
    }
    const types = this.#demands.writtenTypes(members)
    if (!members.some(demandsSomething)) return anyValue
    const numbers = types.has('number') ? ['number' as const] : ['integer' as const]
    const written = [...types].filter((type) => type !== 'integer' && type !== 'number')
    const all = types.has('number') || types.has('integer') ? [...written, ...numbers] : written
    return choice(...all.map((type) => this.#ofType(type, members, name, depth)))
  }

  #ofType(
    type: TypeName,
    members: readonly SchemaMember[],
    name: string,
    depth: number,
  ): Expression {
    switch (type) {
      case 'null':
        return nullValue
      case 'boolean':
        return anyBoolean
      case 'number':
      case 'integer':
        return this.#number(members, type)
      case 'string':
        return this.#texts.expression(this.#texts.of(members))
      case 'array':
        return this.#array(members, name, depth)
      case 'object':
        return this.#object(members, name, depth)
    }
  }

  #number(members: readonly SchemaMember[], type: 'number' | 'integer'): Expression {
    const range = this.#demands.numberRange(members, type === 'integer')
    const isBound = Number.isFinite(range.min) || Number.isFinite(range.max)
    this.#document.spend(members[0]?.path ?? '', isBound ? RANGE_STEPS[type] : VALUE_STEPS)
    return numberBetween(range)
  }

  #array(members: readonly SchemaMember[], name: string, depth: number): Expression {
    const demand = this.#demands.array(members)
    this.#checkWidth(demand.prefix.length, members)
    return arrayExpression(demand, (nodes) => this.value(nodes, `${name}-item`, depth + 1))
  }

  #object(members: readonly SchemaMember[], name: string, depth: number): Expression {
    const demand = this.#demands.object(members)
    this.#checkWidth(demand.properties.size, members)
    const unsupported = (keyword: string, reason: string): void => {
      const holder = members.find(({ schema }) => Object.hasOwn(schema, keyword)) ?? members[0]
      if (holder !== undefined) this.#document.unsupported(holder, keyword, reason)
    }
    return objectExpression(demand, {
      name,
      value: (nodes, property) => this.value(nodes, property, depth + 1),
      otherName: () => {
        const other = nameBut([...demand.properties.keys()], this.#document.work)
        if (other !== undefined) return other
        unsupported('additionalProperties', 'stands beside too many properties')
        return NEVER
      },
      unsupported,
      spend: () => this.#document.spend(members[0]?.path ?? '', MEMBER_STEPS),
    })
  }

  #checkWidth(width: number, members: readonly SchemaMember[]): void {
    if (width <= WIDTH_MAX) return
    const reason = `has more than ${WIDTH_MAX} properties or items`
    throw new UnsupportedSchema(members[0]?.path ?? '', 'size', reason)
  }
}

/** Alternatives without those that another says as well: reading them twice is costly. */
function simplest(alternatives: readonly Expression[]): Expression {
  if (alternatives.includes(anyValue)) return anyValue
  const all = choice(...alternatives)
  if (all.kind !== 'choice' || !all.options.includes(anyObject)) return all
  return choice(...all.options.filter((option) => option === anyObject || !isObject(option)))
}

/** Whether it is written as an object. */
function isObject(expression: Expression): boolean {
  const head = expression.kind === 'sequence' ? expression.parts[0] : expression
  return head?.kind === 'literal' && head.text.startsWith('{')
}

/** The keywords that are no demand themselves: they lead to others. */
const applicators = ['$ref', 'allOf', 'anyOf', 'oneOf']

function demandsSomething({ schema }: SchemaMember): boolean {
  return Object.keys(schema).some(
    (keyword) => enforcedKeywords.includes(keyword) && !applicators.includes(keyword),
  )
}

/** What follows the opening quote of a name that is none of these; undefined if too many. */
function nameBut(names: readonly string[], work: Work): Expression | undefined {
  try {
    const automaton = anyTextBut(names, work)
    work.spend(WRITING_STEPS * automaton.size)
    return named('name', restOfString(automaton, `names but ${JSON.stringify(names)}`))
  } catch (error) {
    if (error instanceof TooManyStates) return undefined
    throw error
  }
}
