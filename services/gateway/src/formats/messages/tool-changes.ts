/**
 * Tools that the conversation adds and withdraws. Agents do so when a tool comes late, because to
 * change `tools` would miss the vendor's prompt cache. The model is offered what holds at the end.
 */
import { ServiceError } from '@svc/contracts/errors'
import { z } from 'zod'
import { LISTED_TOOLS_MAX } from '../tools.ts'
import type { ContentBlock } from './text-blocks.ts'

interface GivenMessage {
  readonly role: string
  readonly content: string | readonly ContentBlock[]
}

interface NamedTool {
  readonly name?: string | undefined
}

export interface ListedTool<Tool> {
  readonly tool: Tool
  /** Where it stands in the body: `tools[0]`. */
  readonly path: string
  readonly isOffered: boolean
}

const reference = z.object({ type: z.literal('tool_reference'), name: z.string().max(256) })
const mcpReference = z.object({ type: z.enum(['mcp_tool_reference', 'mcp_toolset_reference']) })

export function isToolChange({ type }: ContentBlock): boolean {
  return type === 'tool_addition' || type === 'tool_removal'
}

/**
 * The time grows with the number of changes, however many tools there are.
 *
 * @param tools the entries of `tools`
 * @param schema of such an entry, which a tool that is defined in a message is as well
 * @returns them, and those that messages define, which take the place of others of their name
 * @throws {ServiceError} naming the block whose change cannot be made
 */
export function changedTools<Tool extends NamedTool>(
  tools: readonly Tool[],
  messages: readonly GivenMessage[],
  schema: z.ZodType<Tool>,
): readonly ListedTool<Tool>[] {
  const changes = new ToolChanges(tools)
  const definition = z.object({ type: z.literal('tool_definition'), definition: schema })
  for (const { block, path } of toolChanges(messages)) {
    const isAdded = block.type === 'tool_addition'
    const name = reference.safeParse(block.tool).data?.name
    const defined = isAdded ? definition.safeParse(block.tool).data : undefined
    if (name !== undefined && isAdded) changes.add(name, path)
    else if (name !== undefined) changes.withdraw(name)
    else if (mcpReference.safeParse(block.tool).success) refuseMcpAddition(isAdded, path)
    else if (defined !== undefined) changes.define(defined.definition, `${path}.definition`)
    else throw notATool(block, path)
  }
  return changes.listed()
}

class ToolChanges<Tool extends NamedTool> {
  readonly #tools: readonly Tool[]
  readonly #names: Set<string | undefined>
  readonly #withdrawn = new Set<string | undefined>()
  /** By their names, in the order in which the conversation defined them last. */
  readonly #defined = new Map<string | undefined, Omit<ListedTool<Tool>, 'isOffered'>>()

  constructor(tools: readonly Tool[]) {
    this.#tools = tools
    this.#names = new Set(tools.map(({ name }) => name))
  }

  add(name: string, path: string): void {
    if (!this.#names.has(name)) {
      const shown = JSON.stringify(name.slice(0, 64))
      const message = `${path}: tool_addition references ${shown}, which is not among the tools.`
      throw new ServiceError('invalid_value', message, { param: path })
    }
    this.#withdrawn.delete(name)
  }

  withdraw(name: string): void {
    this.#withdrawn.add(name)
  }

  define(tool: Tool, path: string): void {
    const { name } = tool
    this.#defined.delete(name)
    if (this.#defined.size === LISTED_TOOLS_MAX) {
      const message = `${path}: a conversation defines at most ${LISTED_TOOLS_MAX} tools.`
      throw new ServiceError('invalid_value', message, { param: path })
    }
    this.#defined.set(name, { tool, path })
    this.#names.add(name)
    this.#withdrawn.delete(name)
  }

  listed(): readonly ListedTool<Tool>[] {
    const own = this.#tools.map((tool, index) => ({ tool, path: `tools[${index}]` }))
    const kept = own.filter(({ tool }) => !this.#defined.has(tool.name))
    return [...kept, ...this.#defined.values()].map((each) => {
      return { ...each, isOffered: !this.#withdrawn.has(each.tool.name) }
    })
  }
}

function* toolChanges(messages: readonly GivenMessage[]) {
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'system' || typeof content === 'string') continue
    for (const [at, block] of content.entries()) {
      if (isToolChange(block)) yield { block, path: `messages[${index}].content[${at}].tool` }
    }
  }
}

/** What an MCP server brings is never offered, so to withdraw it changes nothing. */
function refuseMcpAddition(isAdded: boolean, path: string): void {
  if (!isAdded) return
  const message = `${path}: this service connects to no MCP servers, so none of their tools can be added.`
  throw new ServiceError('unsupported_value', message, { param: path })
}

function notATool({ type }: ContentBlock, path: string): ServiceError {
  const known = type === 'tool_addition' ? 'tool_reference or tool_definition' : 'tool_reference'
  const message = `${path}: ${type} takes a ${known} of a tool that the caller runs.`
  return new ServiceError('unsupported_value', message, { param: path })
}
