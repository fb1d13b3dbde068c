/**
 * The tools of a request. A model calls functions by one flat name; the format has groups of tools
 * (namespaces), and custom tools that take a text. So each tool has the name that the model sees,
 * and what the caller calls it.
 */
import type { JsonObject } from '@svc/contracts/strict-json'
import type { GivenTool } from '../../tools.ts'

/** Stands between a namespace and the name of a tool in it. */
const SEPARATOR = '__'

export interface CatalogTool {
  readonly kind: 'function' | 'custom'
  readonly name: string
  readonly namespace: string | undefined
  readonly given: GivenTool
}

export class ToolCatalog {
  readonly #tools = new Map<string, CatalogTool>()
  readonly #duplicates: CatalogTool[] = []

  /** @param replace whether a tool of the same name is replaced, or is one too many */
  add(tool: CatalogTool, replace: boolean): void {
    const { name } = tool.given
    if (this.#tools.has(name) && !replace) this.#duplicates.push(tool)
    else this.#tools.set(name, tool)
  }

  /** Gives the tools, those of one name too, so that whoever checks them finds them. */
  given(): GivenTool[] {
    return [...this.#tools.values(), ...this.#duplicates].map(({ given }) => given)
  }

  /** The tool that the model calls by this name. */
  called(modelName: string): CatalogTool | undefined {
    return this.#tools.get(modelName)
  }

  /**
   * The name by which the model sees a tool that the caller names. Without a namespace, a tool of a
   * group is meant where only one has the name.
   */
  modelName({ kind, name, namespace }: ToolName): string | undefined {
    const named = [...this.#tools.values()].filter(
      (tool) => tool.kind === kind && tool.name === name,
    )
    const exact = named.find((tool) => tool.namespace === namespace)
    const only = namespace === undefined && named.length === 1 ? named[0] : undefined
    return (exact ?? only)?.given.name
  }
}

interface ToolName {
  readonly kind: CatalogTool['kind']
  readonly name: string
  readonly namespace: string | undefined
}

export function modelToolName(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : namespace + SEPARATOR + name
}

/** The parameters of a custom tool, as if it were a function. */
export const customToolParameters: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
}

/** The text in the arguments of a custom tool. Arguments that were cut are given as they are. */
export function customToolInput(argumentsText: string): string {
  try {
    const value: unknown = JSON.parse(argumentsText)
    if (typeof value === 'object' && value !== null && 'input' in value) {
      if (typeof value.input === 'string') return value.input
    }
  } catch {
    // The model was cut in the middle of its JSON.
  }
  return argumentsText
}
