/**
 * Tools that the conversation adds and withdraws. Agents do so when a tool comes late, because to
 * change `tools` would miss the vendor's prompt cache. The model is offered what holds at the end.
 */
import { ServiceError } from '@svc/contracts/errors'
import { z } from 'zod'
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

export function isToolChange({ type }: ContentBlock): boolean {
  return type === 'tool_addition' || type === 'tool_removal'
}

/**
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
  let listed: readonly ListedTool<Tool>[] = tools.map((tool, index) => {
    return { tool, path: `tools[${index}]`, isOffered: true }
  })
  const definition = z.object({ type: z.literal('tool_definition'), definition: schema })
  for (const { block, path } of toolChanges(messages)) {
    const isOffered = block.type === 'tool_addition'
    const name = reference.safeParse(block.tool).data?.name
    const defined = isOffered ? definition.safeParse(block.tool).data : undefined
    if (name !== undefined) listed = withOffer(listed, name, isOffered, path)
    else if (defined === undefined) throw notATool(block, path)
    else listed = withDefined(listed, defined.definition, `${path}.definition`)
  }
  return listed
}

function* toolChanges(messages: readonly GivenMessage[]) {
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'system' || typeof content === 'string') continue
    for (const [at, block] of content.entries()) {
      if (isToolChange(block)) yield { block, path: `messages[${index}].content[${at}].tool` }
    }
  }
}

function withOffer<Tool extends NamedTool>(
  listed: readonly ListedTool<Tool>[],
  name: string,
  isOffered: boolean,
  path: string,
): readonly ListedTool<Tool>[] {
  if (isOffered && !listed.some(({ tool }) => tool.name === name)) {
    const shown = JSON.stringify(name.slice(0, 64))
    const message = `${path}: tool_addition references ${shown}, which is not among the tools.`
    throw new ServiceError('invalid_value', message, { param: path })
  }
  return listed.map((each) => (each.tool.name === name ? { ...each, isOffered } : each))
}

function withDefined<Tool extends NamedTool>(
  listed: readonly ListedTool<Tool>[],
  tool: Tool,
  path: string,
): readonly ListedTool<Tool>[] {
  const others = listed.filter((each) => each.tool.name !== tool.name)
  return [...others, { tool, path, isOffered: true }]
}

function notATool({ type }: ContentBlock, path: string): ServiceError {
  const known = type === 'tool_addition' ? 'tool_reference or tool_definition' : 'tool_reference'
  const message = `${path}: ${type} takes a ${known} of a tool that the caller runs.`
  return new ServiceError('unsupported_value', message, { param: path })
}
