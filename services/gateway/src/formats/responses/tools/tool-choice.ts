/** `tool_choice`, in terms of the names that the model sees. */
import { ServiceError } from '@svc/contracts/errors'
import { type FieldPath, pathText } from '@svc/contracts/field-path'
import type { JsonObject } from '@svc/contracts/strict-json'
import { z } from 'zod'
import { parseField, typeAt } from '../../fields.ts'
import { type GivenChoice, LISTED_TOOLS_MAX } from '../../tools.ts'
import type { ToolCatalog } from './tool-catalog.ts'

const modeField = z.enum(['none', 'auto', 'required'])
const namedTool = z.object({ name: z.string(), namespace: z.string().nullish() })
const allowedTools = z.object({
  mode: modeField.nullish(),
  // An answer gives back an empty list where the server would run all that were allowed.
  tools: z.array(z.unknown()).max(LISTED_TOOLS_MAX),
})

export interface ToolChoice {
  readonly given: GivenChoice
  /** The choice as the answer shows it. */
  readonly shown: unknown
}

/** @throws {ServiceError} naming the choice that cannot be honoured */
export function readToolChoice(body: JsonObject, catalog: ToolCatalog): ToolChoice {
  const choice = body.tool_choice
  if (choice === undefined || choice === null) return modeChoice('auto')
  const path = ['tool_choice']
  if (typeof choice === 'string') return modeChoice(parseField(modeField, body, path))
  const type = typeAt(body, path)
  if (type === 'allowed_tools') return allowedChoice(body, path, catalog)
  if (type !== 'function' && type !== 'custom') throw unsupported(path, type)
  const { modelName, shown } = toolAt(body, path, type, catalog)
  const param = pathText([...path, 'name'])
  return { given: { mode: 'required', callable: [modelName], param }, shown }
}

function modeChoice(mode: GivenChoice['mode']): ToolChoice {
  return { given: { mode, callable: null, param: 'tool_choice' }, shown: mode }
}

/** Tools that the server would run are left out here as they are left out of the tools. */
function allowedChoice(body: JsonObject, path: FieldPath, catalog: ToolCatalog): ToolChoice {
  const { mode, tools } = parseField(allowedTools, body, path)
  const allowed: ChosenTool[] = []
  for (const index of tools.keys()) {
    const toolPath = [...path, 'tools', index]
    const type = typeAt(body, toolPath)
    if (type === 'function' || type === 'custom') {
      allowed.push(toolAt(body, toolPath, type, catalog))
    }
  }
  const callable = allowed.map(({ modelName }) => modelName)
  const given = { mode: mode ?? 'auto', callable, param: pathText([...path, 'tools']) }
  const shown = {
    type: 'allowed_tools',
    mode: given.mode,
    tools: allowed.map((each) => each.shown),
  }
  return { given, shown }
}

interface ChosenTool {
  readonly modelName: string
  /** What names the tool, and nothing else that the caller put there. */
  readonly shown: object
}

function toolAt(
  body: JsonObject,
  path: FieldPath,
  kind: 'function' | 'custom',
  catalog: ToolCatalog,
): ChosenTool {
  const { name, namespace } = parseField(namedTool, body, path)
  const modelName = catalog.modelName({ kind, name, namespace: namespace ?? undefined })
  if (modelName !== undefined) {
    return { modelName, shown: { type: kind, name, ...(namespace ? { namespace } : {}) } }
  }
  const message = 'The choice names a tool that is not among the tools.'
  throw new ServiceError('invalid_value', message, { param: pathText([...path, 'name']) })
}

function unsupported(path: FieldPath, type: string | undefined): ServiceError {
  const shown =
    type === undefined ? 'without a type' : `of type ${JSON.stringify(type.slice(0, 64))}`
  const message =
    `A choice ${shown} cannot be honoured: this service runs no tools itself. ` +
    'Choose "none", "auto", "required", a function, a custom tool or a list of allowed tools.'
  return new ServiceError('unsupported_value', message, { param: pathText(path) })
}
