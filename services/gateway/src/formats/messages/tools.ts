/** The tools of a Messages request. Those that a vendor runs on its own servers are left out. */
import { ServiceError } from '@svc/contracts/errors'
import type { ToolUse } from '@svc/contracts/worker/protocol'
import { z } from 'zod'
import { DroppedTools } from '../dropped-tools.ts'
import { missingParameter } from '../fields.ts'
import { schemaFieldOf } from '../foreign-fields.ts'
import { givenSchema } from '../given-object.ts'
import { type GivenChoice, type GivenTool, LISTED_TOOLS_MAX, toolUseOf } from '../tools.ts'
import { changedTools, type ListedTool } from './tool-changes.ts'

const tool = z.looseObject({
  /** A header tells the caller this type when the tool is left out. */
  type: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/)
    .nullish(),
  name: z.string().optional(),
  description: z.string().nullish(),
  input_schema: givenSchema.nullish(),
})
type Tool = z.output<typeof tool>

const toolChoice = z.object({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: z.string().optional(),
  disable_parallel_tool_use: z.boolean().nullish(),
})
type ToolChoice = z.output<typeof toolChoice>

/** The fields of the request's schema that are about tools. */
export const toolFields = {
  tools: z.array(tool).max(LISTED_TOOLS_MAX).nullish(),
  tool_choice: toolChoice.nullish(),
}
const fields = z.object(toolFields)
type ToolFields = z.output<typeof fields> & {
  readonly messages: Parameters<typeof changedTools>[1]
}

export interface MessagesTools {
  readonly toolUse: ToolUse | null
  /** The types of the tools that were left out. */
  readonly dropped: readonly string[]
}

/** @throws {ServiceError} naming the tool or the choice that cannot be honoured */
export function messagesTools({ tools, tool_choice: choice, messages }: ToolFields): MessagesTools {
  const own: ListedTool<Tool>[] = []
  const dropped: Tool[] = []
  const shown = new DroppedTools()
  for (const each of changedTools(tools ?? [], messages, tool)) {
    if (isOwn(each.tool)) own.push(each)
    else if (each.isOffered) dropped.push(each.tool)
  }
  if (dropped.length > 0 && own.length === 0) throw onlyServerTools(dropped)
  const given = own.filter(({ isOffered }) => isOffered).map(givenTool)
  const forced = dropped.find(({ name }) => choice?.type === 'tool' && choice.name === name)
  if (forced !== undefined) throw serverTool(forced, 'tool_choice.name')
  for (const { type } of dropped) shown.add(type ?? '')
  const parallel = choice?.disable_parallel_tool_use !== true
  return {
    toolUse: toolUseOf(given, givenChoice(choice), parallel),
    dropped: shown.types,
  }
}

/** Whether the caller runs it. One with a schema is meant so, in the words of any format. */
function isOwn(tool: Tool): boolean {
  const { type } = tool
  const isCustom = type === 'custom' || type === null || type === undefined
  return isCustom || schemaFieldOf(tool) !== undefined
}

function givenTool({ tool, path }: ListedTool<Tool>): GivenTool {
  const { name, description, input_schema: parameters } = tool
  if (parameters === undefined || parameters === null)
    throw missingParameter(`${path}.input_schema`)
  const param = `${path}.name`
  if (name === undefined) throw missingParameter(param)
  return { name, description, parameters, param }
}

function givenChoice(choice: ToolChoice | null | undefined): GivenChoice {
  const param = 'tool_choice'
  switch (choice?.type) {
    case undefined:
    case 'auto':
      return { mode: 'auto', callable: null, param }
    case 'none':
      return { mode: 'none', callable: null, param }
    case 'any':
      return { mode: 'required', callable: null, param }
    case 'tool': {
      const { name } = choice
      if (name !== undefined) return { mode: 'required', callable: [name], param: `${param}.name` }
      throw missingParameter(`${param}.name`)
    }
  }
}

function onlyServerTools(dropped: readonly Tool[]): ServiceError {
  return serverTool(dropped[0] ?? {}, 'tools[0].type')
}

function serverTool({ type }: Tool, param: string): ServiceError {
  const shown = JSON.stringify(type ?? '')
  const message = `${param}: this service runs no tools of its own, so not ${shown} either.`
  return new ServiceError('unsupported_value', message, { param })
}
