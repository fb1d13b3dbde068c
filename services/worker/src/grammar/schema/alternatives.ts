/**
 * What a value may be, one alternative after the other: `$ref` and `allOf` bring demands together,
 * `anyOf` and `oneOf` multiply them. An alternative is a list of schemas that all hold at once, of
 * which only the other keywords still count.
 */
import {
  isMember,
  type SchemaDocument,
  type SchemaMember,
  type SchemaNode,
  type SchemaObject,
} from './schema-document.ts'
import { UnsupportedSchema } from './unsupported-schema.ts'

export const NESTING_MAX = 64

export interface Alternative {
  readonly members: readonly SchemaMember[]
  /** Which branch of each `oneOf` this is: no other branch of it may hold as well. */
  readonly choices: readonly Choice[]
}

export interface Choice {
  readonly member: SchemaMember
  readonly branch: number
}

const UNCONDITIONAL: Alternative = { members: [], choices: [] }

export class Alternatives {
  readonly #document: SchemaDocument
  readonly #known = new Map<SchemaObject, readonly Alternative[]>()
  readonly #open = new Set<SchemaObject>()

  constructor(document: SchemaDocument) {
    this.#document = document
  }

  /** The alternatives of a value for which all these schemas hold. None: there is no such value. */
  of(nodes: readonly SchemaNode[]): readonly Alternative[] {
    let all: readonly Alternative[] = [UNCONDITIONAL]
    for (const node of nodes) all = this.#combined(all, this.#ofOne(node), node)
    return all
  }

  #ofOne(node: SchemaNode): readonly Alternative[] {
    if (!isMember(node)) return node.schema ? [UNCONDITIONAL] : []
    const known = this.#known.get(node.schema)
    if (known !== undefined) return known
    if (this.#open.has(node.schema)) {
      const reason = 'leads back to itself before any property or item'
      this.#document.unsupported(node, '$ref', reason)
      return [UNCONDITIONAL]
    }
    if (this.#open.size >= NESTING_MAX) {
      throw new UnsupportedSchema(node.path, 'depth', `is nested more than ${NESTING_MAX} deep`)
    }
    this.#open.add(node.schema)
    const found = this.#expanded(node)
    this.#open.delete(node.schema)
    this.#known.set(node.schema, found)
    return found
  }

  #expanded(member: SchemaMember): readonly Alternative[] {
    const target = this.#document.target(member)
    const together = [...(target ? [target] : []), ...this.#document.children(member, 'allOf')]
    const self: readonly Alternative[] = [{ members: [member], choices: [] }]
    const withAll = together.reduce(
      (all, node) => this.#combined(all, this.#ofOne(node), node),
      self,
    )
    return this.#combined(
      this.#combined(withAll, this.#branches(member, 'anyOf'), member),
      this.#branches(member, 'oneOf'),
      member,
    )
  }

  #branches(member: SchemaMember, keyword: 'anyOf' | 'oneOf'): readonly Alternative[] {
    const nodes = this.#document.children(member, keyword)
    if (nodes.length === 0) {
      if (Object.hasOwn(member.schema, keyword)) {
        this.#document.unsupported(member, keyword, 'is not a list with schemas')
      }
      return [UNCONDITIONAL]
    }
    return nodes.flatMap((node, branch) =>
      this.#ofOne(node).map(({ members, choices }) => ({
        members,
        choices: keyword === 'oneOf' ? [...choices, { member, branch }] : choices,
      })),
    )
  }

  #combined(
    some: readonly Alternative[],
    others: readonly Alternative[],
    node: SchemaNode,
  ): readonly Alternative[] {
    const { alternativesMax } = this.#document.limits
    if (some.length * others.length > alternativesMax) {
      const reason = `allows more than ${alternativesMax} alternatives`
      throw new UnsupportedSchema(node.path, 'size', reason)
    }
    return some.flatMap((one) =>
      others.map((other) => {
        const copied = one.members.length + other.members.length
        this.#document.spend(node.path, 2 + copied + one.choices.length + other.choices.length)
        const members = new Map(
          [...one.members, ...other.members].map((each) => [each.schema, each]),
        )
        return { members: [...members.values()], choices: [...one.choices, ...other.choices] }
      }),
    )
  }
}
