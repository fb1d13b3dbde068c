/** The tools of a chat request. */
import { ServiceError } from '@svc/contracts/errors'
import type { ToolUse } from '@svc/contracts/worker/protocol'
import { z } from 'zod'
import { missingParameter } from '../fields.ts'
import { refuseForeignSchema } from '../foreign-fields.ts'
import { givenSchema } from '../given-object.ts'
import { type GivenChoice, LISTED_TOOLS_MAX, toolUseOf } from '../tools.ts'

const named = z.object({ name: z.string() })
const chatTool = z.looseObject({
  type: z.string().max(64),
  function: z
    .looseObject({
      name: z.string(),
      description: z.string().nullish(),
      parameters: givenSchema.nullish(),
    })
    .optional(),
})
type ChatTool = z.output<typeof chatTool>

const chosenTool = z.object({ type: z.string().max(64), function: named.optional() })
const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.object({
    type: z.string().max(64),
    function: named.optional(),
    allowed_tools: z
      .object({
        mode: z.enum(['auto', 'required']),
        tools: z.array(chosenTool).max(LISTED_TOOLS_MAX),
      })
      .optional(),
  }),
])
type ToolChoice = z.output<typeof toolChoice>

/** The fields of the request's schema that are about tools. */
export const toolFields = {
  tools: z.array(chatTool).max(LISTED_TOOLS_MAX).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
}
const fields = z.object(toolFields)
type ToolFields = z.output<typeof fields>

/** @throws {ServiceError} naming the tool or the choice that cannot be honoured */
export function chatToolUse(request: ToolFields): ToolUse | null {
  const tools = (request.tools ?? []).map(givenTool)
  const parallel = request.parallel_tool_calls ?? true
  return toolUseOf(tools, givenChoice(request.tool_choice), parallel)
}

function givenTool(given: ChatTool, index: number) {
  const { type, function: tool } = given
  const path = `tools[${index}]`
  if (type !== 'function') {
    const message = 'Only tools of type "function" are supported here.'
    throw new ServiceError('unsupported_value', message, { param: `${path}.type` })
  }
  if (tool === undefined) throw missingParameter(`${path}.function`)
  const { name, description, parameters } = tool
  if (parameters === undefined || parameters === null) {
    const schema = `'${path}.function.parameters'`
    refuseForeignSchema(tool, 'parameters', { path: `${path}.function`, schema })
    refuseForeignSchema(given, 'function', { path, schema })
  }
  return { name, description, parameters, param: `${path}.function.name` }
}

function givenChoice(choice: ToolChoice | null | undefined): GivenChoice {
  const param = 'tool_choice'
  if (choice === null || choice === undefined) return { mode: 'auto', callable: null, param }
  if (typeof choice === 'string') return { mode: choice, callable: null, param }
  if (choice.type === 'function') {
    if (choice.function === undefined) throw missingParameter(`${param}.function`)
    const { name } = choice.function
    return { mode: 'required', callable: [name], param: `${param}.function.name` }
  }
  if (choice.type !== 'allowed_tools') throw unsupportedChoice(`${param}.type`)
  if (choice.allowed_tools === undefined) throw missingParameter(`${param}.allowed_tools`)
  const { mode, tools } = choice.allowed_tools
  const callable = tools.map((tool, index) => {
    const path = `${param}.allowed_tools.tools[${index}]`
    if (tool.type !== 'function') throw unsupportedChoice(`${path}.type`)
    if (tool.function === undefined) throw missingParameter(`${path}.function`)
    return tool.function.name
  })
  return { mode, callable, param: `${param}.allowed_tools.tools` }
}

function unsupportedChoice(param: string): ServiceError {
  const message = 'A choice is "none", "auto", "required", a function, or a list of allowed tools.'
  return new ServiceError('unsupported_value', message, { param })
}
