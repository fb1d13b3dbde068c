/** What an alternative demands of a value, read out of all its schemas together. */
import { ExactNumber, exactValue } from '@svc/contracts/exact-number'
import { MAGNITUDE_MAX, type NumberRange, neighbour } from '../json/number-range.ts'
import { keywordTypes, type TypeName, typeNames } from './keywords.ts'
import {
  isObject,
  own,
  type SchemaDocument,
  type SchemaMember,
  type SchemaNode,
  type SchemaObject,
} from './schema-document.ts'

/** A property that no object is given: JavaScript may take it for something else. */
const UNSAFE_NAME = '__proto__'

export interface ObjectDemand {
  /** Each declared property, in the order of declaration, with what holds for its value. */
  readonly properties: ReadonlyMap<string, readonly SchemaNode[]>
  readonly required: ReadonlySet<string>
  /** What holds for the value of a property that is not declared. */
  readonly additional: readonly SchemaNode[]
  /** Whether undeclared properties are written: not where they are merely not denied. */
  readonly writesAdditional: boolean
  readonly min: number
  readonly max: number | null
}

export interface ArrayDemand {
  /** What holds for the items at the beginning. */
  readonly prefix: readonly (readonly SchemaNode[])[]
  readonly rest: readonly SchemaNode[]
  readonly writesRest: boolean
  readonly min: number
  readonly max: number | null
}

export class Demands {
  readonly #document: SchemaDocument
  readonly #objects = new Map<string, ObjectDemand>()
  readonly #namedValues = new Map<SchemaObject, ReadonlyMap<string, unknown>>()

  constructor(document: SchemaDocument) {
    this.#document = document
  }

  /** The types that the schemas allow. An integer is a number as well. */
  types(members: readonly SchemaMember[]): ReadonlySet<TypeName> {
    let allowed = new Set<TypeName>(typeNames)
    for (const member of members) {
      const types = this.#ownTypes(member)
      if (types === undefined) continue
      const widened = new Set(types.has('number') ? [...types, 'integer' as const] : types)
      allowed = new Set([...allowed].filter((type) => widened.has(type)))
    }
    return allowed
  }

  /**
   * The types that are written. Where no `type` is said, `properties` without more means an object:
   * that other values are valid as well was hardly meant.
   */
  writtenTypes(members: readonly SchemaMember[]): ReadonlySet<TypeName> {
    const allowed = this.types(members)
    if (members.some(({ schema }) => Object.hasOwn(schema, 'type'))) return allowed
    const meant = new Set(
      members.flatMap(({ schema }) =>
        Object.keys(schema).flatMap((keyword) => {
          if (keyword === 'format') return ['string' as const]
          return keywordTypes.get(keyword) ?? []
        }),
      ),
    )
    return meant.size === 0 ? allowed : new Set([...allowed].filter((type) => meant.has(type)))
  }

  #ownTypes(member: SchemaMember): ReadonlySet<TypeName> | undefined {
    const declared = own(member.schema, 'type')
    if (declared === undefined) return undefined
    const list: readonly unknown[] = Array.isArray(declared) ? declared : [declared]
    const known = typeNames.filter((name) => list.includes(name))
    if (known.length === new Set(list).size && known.length > 0) return new Set(known)
    this.#document.unsupported(member, 'type', 'names a type that there is not')
    return known.length > 0 ? new Set(known) : undefined
  }

  /** The values of `enum` and `const` that all schemas name, or undefined if none names any. */
  values(members: readonly SchemaMember[]): ReadonlyMap<string, unknown> | undefined {
    const lists = members.flatMap((member) => this.#named(member) ?? [])
    const [first, ...others] = lists
    if (first === undefined || others.length === 0) return first
    return new Map([...first].filter(([key]) => others.every((other) => other.has(key))))
  }

  /**
   * Indexes the values by their canonical text, because a list is looked at again for every value
   * in it.
   */
  #named(member: SchemaMember): ReadonlyMap<string, unknown> | undefined {
    const known = this.#namedValues.get(member.schema)
    if (known !== undefined) return known
    const lists = [this.#list(member, 'enum'), constant(member)].filter(
      (list) => list !== undefined,
    )
    const [first, second] = lists.map((list) => {
      const named = list.map((value) => [canonical(value), value] as const)
      const characters = named.reduce((sum, [text]) => sum + text.length, 0)
      this.#document.spend(member.path, 4 * list.length + characters)
      return new Map(named)
    })
    if (first === undefined) return undefined
    const both = second === undefined ? first : [...first].filter(([key]) => second.has(key))
    const named = new Map(both)
    this.#namedValues.set(member.schema, named)
    return named
  }

  numberRange(members: readonly SchemaMember[], integer: boolean): NumberRange {
    let [min, max, whole] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, integer]
    for (const member of members) {
      const least = this.number(member, 'minimum')
      const above = this.number(member, 'exclusiveMinimum')
      const most = this.number(member, 'maximum')
      const below = this.number(member, 'exclusiveMaximum')
      const range = integerRanges.get(String(own(member.schema, 'format')))
      min = Math.max(min, least ?? min, above === undefined ? min : neighbour(above, 1))
      max = Math.min(max, most ?? max, below === undefined ? max : neighbour(below, -1))
      if (range !== undefined) {
        whole = true
        min = Math.max(min, range[0])
        max = Math.min(max, range[1])
      }
      if (min > MAGNITUDE_MAX || max < -MAGNITUDE_MAX) {
        const keyword = min > MAGNITUDE_MAX ? 'minimum' : 'maximum'
        this.#document.unsupported(member, keyword, `leaves only numbers of more than 15 digits`)
        return { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY, integer: whole }
      }
    }
    return { min, max, integer: whole }
  }

  /** The strictest of lower and of upper bounds on a count: of characters, items or properties. */
  bounds(
    members: readonly SchemaMember[],
    lower: string,
    upper: string,
  ): { readonly min: number; readonly max: number | null } {
    const least = members.map((member) => this.#count(member, lower) ?? 0)
    const most = members.flatMap((member) => this.#count(member, upper) ?? [])
    return { min: Math.max(0, ...least), max: most.length === 0 ? null : Math.min(...most) }
  }

  object(members: readonly SchemaMember[]): ObjectDemand {
    const key = members.map(({ schema }) => this.#document.numberOf(schema)).join(' ')
    const known = this.#objects.get(key)
    if (known !== undefined) return known
    const demand = this.#object(members)
    this.#objects.set(key, demand)
    return demand
  }

  #object(members: readonly SchemaMember[]): ObjectDemand {
    const declared = members.flatMap((member) => Object.keys(this.#properties(member)))
    const required = new Set(members.flatMap((member) => this.#required(member)))
    const names = new Set([...declared, ...required])
    this.#document.spend(members[0]?.path ?? '', 2 * (1 + names.size) * members.length)
    const properties = [...names].map((name) => {
      const safe = name !== UNSAFE_NAME
      return [name, safe ? this.#ofProperty(members, name) : [NOWHERE]] as const
    })
    const explicit = members.some(({ schema }) => Object.hasOwn(schema, 'additionalProperties'))
    return {
      properties: new Map(properties),
      required,
      additional: members.flatMap((member) => this.#additional(member)),
      writesAdditional: explicit || declared.length === 0,
      ...this.bounds(members, 'minProperties', 'maxProperties'),
    }
  }

  array(members: readonly SchemaMember[]): ArrayDemand {
    const prefixes = members.map((member) => this.#document.children(member, 'prefixItems'))
    const rests = members.map((member) =>
      Object.hasOwn(member.schema, 'items') ? [this.#document.child(member, 'items')] : [],
    )
    const length = Math.max(0, ...prefixes.map((prefix) => prefix.length))
    this.#document.spend(members[0]?.path ?? '', 2 * (1 + length) * members.length)
    return {
      prefix: Array.from({ length }, (_, index) =>
        prefixes.flatMap((prefix, member) => prefix[index] ?? rests[member] ?? []),
      ),
      rest: rests.flat(),
      writesRest: length === 0 || rests.some((rest) => rest.length > 0),
      ...this.bounds(members, 'minItems', 'maxItems'),
    }
  }

  /** What holds for a property of this name, declared or not. */
  #ofProperty(members: readonly SchemaMember[], name: string): readonly SchemaNode[] {
    return members.flatMap((member) =>
      Object.hasOwn(this.#properties(member), name)
        ? [this.#document.child(member, 'properties', name)]
        : this.#additional(member),
    )
  }

  #additional(member: SchemaMember): readonly SchemaNode[] {
    if (!Object.hasOwn(member.schema, 'additionalProperties')) return []
    return [this.#document.child(member, 'additionalProperties')]
  }

  #properties(member: SchemaMember): object {
    const properties = own(member.schema, 'properties')
    if (properties === undefined || isObject(properties)) return properties ?? {}
    this.#document.unsupported(member, 'properties', 'is not an object with schemas')
    return {}
  }

  #required(member: SchemaMember): readonly string[] {
    const names = this.#list(member, 'required') ?? []
    const known = names.filter((name) => typeof name === 'string')
    if (known.length < names.length) {
      this.#document.unsupported(member, 'required', 'is not a list of names')
    }
    return known
  }

  #list(member: SchemaMember, keyword: string): readonly unknown[] | undefined {
    const list = own(member.schema, keyword)
    if (list === undefined || Array.isArray(list)) return list
    this.#document.unsupported(member, keyword, 'is not a list')
    return undefined
  }

  #count(member: SchemaMember, keyword: string): number | undefined {
    const count = own(member.schema, keyword)
    if (count === undefined) return undefined
    if (Number.isSafeInteger(count) && (count as number) >= 0) return count as number
    this.#document.unsupported(member, keyword, 'is not a whole number of 0 or above')
    return undefined
  }

  number(member: SchemaMember, keyword: string): number | undefined {
    const value = own(member.schema, keyword)
    const number = value instanceof ExactNumber ? value.nearest : value
    if (number === undefined) return undefined
    if (typeof number === 'number' && Number.isFinite(number)) return number
    this.#document.unsupported(member, keyword, 'is not a number')
    return undefined
  }
}

const NOWHERE: SchemaNode = { schema: false, path: '' }

const SIZES_BITS = [8, 16, 32, 64, 128]
/** Of `int` and `uint`, which schemas of Rust say for `isize` and `usize`. */
const NATIVE_BITS = 64

/** The least and the most of each format that is a range of integers. */
const integerRanges: ReadonlyMap<string, readonly [number, number]> = new Map([
  ...SIZES_BITS.map((bits) => [`int${bits}`, signed(bits)] as const),
  ['int', signed(NATIVE_BITS)],
  ...SIZES_BITS.map((bits) => [`uint${bits}`, unsigned(bits)] as const),
  ['uint', unsigned(NATIVE_BITS)],
])

/** Formats of numbers. `float` and `double` leave it at that. */
export const numberFormats: readonly string[] = [...integerRanges.keys(), 'float', 'double']

function signed(bits: number): readonly [number, number] {
  return [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1]
}

function unsigned(bits: number): readonly [number, number] {
  return [0, 2 ** bits - 1]
}

function constant({ schema }: SchemaMember): readonly unknown[] | undefined {
  return Object.hasOwn(schema, 'const') ? [schema.const] : undefined
}

/** Equal for values that JSON Schema takes for equal, whatever the order of properties. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value === 'number' || value instanceof ExactNumber) return exactValue(value)
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}
