/** The tools that a request brings, checked, in the form of the worker protocol. */
import { ServiceError } from '@svc/contracts/errors'
import type { JsonObject } from '@svc/contracts/strict-json'
import type { ToolUse } from '@svc/contracts/worker/protocol'

/** The most tools that are used: those of real agents, several times over. */
const USED_TOOLS_MAX = 256
/** Entries of a request's list, with those that are left out because nothing here runs them. */
export const LISTED_TOOLS_MAX = 1_024
/**
 * The names that are taken. They are wider than what the vendors take, because clients put
 * namespaces into names.
 */
const TOOL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

export interface GivenTool {
  readonly name: string
  readonly description: string | null | undefined
  /** A JSON Schema of an object, or nothing for a tool without parameters. */
  readonly parameters: JsonObject | null | undefined
  /** The field that names the tool, for error messages: `tools[0].function.name`. */
  readonly param: string
}

export interface GivenChoice {
  readonly mode: 'none' | 'auto' | 'required'
  /** Names of the tools that may be called, or null for all. */
  readonly callable: readonly string[] | null
  /** The field of the choice, for error messages. */
  readonly param: string
}

/**
 * @returns null when the request brings no tools
 * @throws {ServiceError} naming the field at fault
 */
export function toolUseOf(
  tools: readonly GivenTool[],
  choice: GivenChoice,
  parallel: boolean,
): ToolUse | null {
  checkTools(tools)
  checkChoice(tools, choice)
  if (tools.length === 0) return null
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      ...(description ? { description } : {}),
      parameters: { ...(parameters ?? NO_PARAMETERS) },
    })),
    choice: choice.mode,
    callable: choice.callable === null ? null : [...choice.callable],
    parallel,
  }
}

function checkTools(tools: readonly GivenTool[]): void {
  if (tools.length > USED_TOOLS_MAX) {
    const message = `A request brings at most ${USED_TOOLS_MAX} tools.`
    throw new ServiceError('invalid_value', message, { param: 'tools' })
  }
  const names = new Set<string>()
  for (const { name, param } of tools) {
    if (!TOOL_NAME.test(name)) {
      const message = 'The name of a tool is 1 to 128 letters, digits and any of _ . : / -'
      throw new ServiceError('invalid_value', message, { param })
    }
    if (names.has(name)) {
      throw new ServiceError('invalid_value', 'Two tools have the same name.', { param })
    }
    names.add(name)
  }
}

function checkChoice(tools: readonly GivenTool[], { mode, callable, param }: GivenChoice): void {
  if (mode === 'required' && tools.length === 0) {
    const message = 'A tool must be called, and the request brings none.'
    throw new ServiceError('invalid_value', message, { param })
  }
  const unknown = callable?.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined) {
    const message = 'The choice names a tool that is not among the tools.'
    throw new ServiceError('invalid_value', message, { param })
  }
  if (mode === 'required' && callable?.length === 0) {
    throw new ServiceError('invalid_value', 'A tool must be called, and none may be.', { param })
  }
}
