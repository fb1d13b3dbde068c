/**
 * What becomes of every keyword of JSON Schema. The page `structured-output.md` shows these lists,
 * and a test compares the two.
 */
export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

export const typeNames: readonly TypeName[] = [
  ...(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const),
]

/** Enforced by the grammar, within the limits that the page names. */
export const enforcedKeywords: readonly string[] = [
  ...['type', 'enum', 'const'],
  ...['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
  ...['items', 'prefixItems', 'minItems', 'maxItems'],
  ...['minLength', 'maxLength', 'pattern', 'format'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['$ref', 'allOf', 'anyOf', 'oneOf'],
]

/** Say nothing about what is valid. */
export const annotationKeywords: readonly string[] = [
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['$schema', '$id', '$anchor', '$comment', '$vocabulary', '$defs', 'definitions'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema'],
]

/** A keyword that no grammar enforces. */
export interface RefusedKeyword {
  readonly name: string
  /** The types of value that it is about; null: all. */
  readonly about: TypeName | null
  /** When it demands nothing after all, in words. */
  readonly exception: string | null
  /** Whether this value of it demands nothing, beside the other keywords of its schema. */
  readonly isIdle: (value: unknown, beside: Readonly<Record<string, unknown>>) => boolean
  readonly reason: string
}

const never = (): boolean => false
const isTrue = (value: unknown): boolean => value === true
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
const isTrueOrEmpty = (value: unknown): boolean => isTrue(value) || isEmpty(value)
/** Of names, which are texts in any case: generators of schemas say so of free ones. */
const takesAnyText = (value: unknown): boolean =>
  isTrueOrEmpty(value) || JSON.stringify(value) === '{"type":"string"}'

const MEMORY = 'a grammar does not remember what was written before'
const ABSENCE = 'a grammar says what may be written, not what may not'
const NAMES = 'names are known before, or free'

const refused = (
  name: string,
  about: TypeName | null,
  reason: string,
  exception: string | null = null,
  isIdle: RefusedKeyword['isIdle'] = never,
): RefusedKeyword => ({ name, about, reason, exception, isIdle })

export const refusedKeywords: readonly RefusedKeyword[] = [
  refused('not', null, ABSENCE, '`false`', (value) => value === false),
  refused(
    ...(['if', null, ABSENCE, 'without `then` and `else`'] as const),
    (_, beside) => !Object.hasOwn(beside, 'then') && !Object.hasOwn(beside, 'else'),
  ),
  refused(
    ...(['then', null, ABSENCE, 'without `if`'] as const),
    (_, beside) => !Object.hasOwn(beside, 'if'),
  ),
  refused(
    ...(['else', null, ABSENCE, 'without `if`'] as const),
    (_, beside) => !Object.hasOwn(beside, 'if'),
  ),
  refused('dependentRequired', 'object', MEMORY, 'empty', isEmpty),
  refused('dependentSchemas', 'object', MEMORY, 'empty', isEmpty),
  refused('dependencies', 'object', MEMORY, 'empty', isEmpty),
  refused('patternProperties', 'object', NAMES, 'empty', isEmpty),
  refused(
    ...(['propertyNames', 'object', NAMES] as const),
    '`true`, `{}` or `{"type": "string"}`',
    takesAnyText,
  ),
  refused('unevaluatedProperties', 'object', MEMORY, '`true` or `{}`', isTrueOrEmpty),
  refused('unevaluatedItems', 'array', MEMORY, '`true` or `{}`', isTrueOrEmpty),
  refused('additionalItems', null, 'it has no meaning since draft 2020-12', 'always', () => true),
  refused('contains', 'array', MEMORY, 'with `minContains` 0 and no `maxContains`', (_, beside) => {
    return beside.minContains === 0 && !Object.hasOwn(beside, 'maxContains')
  }),
  refused('minContains', 'array', MEMORY, 'without `contains`', (_, beside) => {
    return !Object.hasOwn(beside, 'contains') || beside.minContains === 0
  }),
  refused('maxContains', 'array', MEMORY, 'without `contains`', (_, beside) => {
    return !Object.hasOwn(beside, 'contains')
  }),
  refused(
    ...(['uniqueItems', 'array', MEMORY, '`false`, or with `maxItems` of 1 or less'] as const),
    (value, { maxItems }) => value === false || (typeof maxItems === 'number' && maxItems <= 1),
  ),
  refused(
    ...(['multipleOf', 'number', 'remainders of decimals are not exact'] as const),
    '1 for integers',
    (value, { type }) => value === 1 && type === 'integer',
  ),
  refused('$dynamicRef', null, 'what it refers to depends on the way to it'),
  refused('$recursiveRef', null, 'what it refers to depends on the way to it'),
]

/** Says of which type a value must be so that a keyword matters to it. */
export const keywordTypes: ReadonlyMap<string, TypeName> = new Map([
  ...['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'].map(
    (keyword) => [keyword, 'object'] as const,
  ),
  ...['items', 'prefixItems', 'minItems', 'maxItems'].map((name) => [name, 'array'] as const),
  ...['minLength', 'maxLength', 'pattern'].map((keyword) => [keyword, 'string'] as const),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map(
    (keyword) => [keyword, 'number'] as const,
  ),
])
