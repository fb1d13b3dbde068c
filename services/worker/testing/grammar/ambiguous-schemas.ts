/** Schemas whose branches begin alike: what they allow grows with each level. */
import type { JsonSchema } from '../../src/grammar/schema/schema-document.ts'

/** Objects with the same first property, told apart by a later one. */
export function branches(
  count: number,
  first: (index: number) => JsonSchema,
): readonly JsonSchema[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'object',
    properties: { first: first(index), [`second${index}`]: { const: index } },
    required: ['first', `second${index}`],
    additionalProperties: false,
  }))
}

/** `count` branches on each of `levels` levels, each level written once. */
export function nestedBranches(count: number, levels: number): JsonSchema {
  const level = (depth: number) =>
    depth < levels ? { $ref: `#/$defs/level${depth}` } : { type: 'integer', maximum: 9 }
  const defs = Array.from({ length: levels }, (_, depth) => [
    `level${depth}`,
    { anyOf: branches(count, () => level(depth + 1)) },
  ])
  return { ...level(0), $defs: Object.fromEntries(defs) }
}
