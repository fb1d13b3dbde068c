/**
 * `tools`, and the tools that items add, as a catalogue; and what is shown of them in the answer.
 */

import { type FieldPath, pathText } from '@svc/contracts/field-path'
import type { JsonObject } from '@svc/contracts/strict-json'
import { z } from 'zod'
import { joinedTexts } from '../../conversation.ts'
import { DroppedTools } from '../../dropped-tools.ts'
import { missingParameter, parseField, typeAt } from '../../fields.ts'
import { refuseForeignSchema } from '../../foreign-fields.ts'
import { givenSchema } from '../../given-object.ts'
import { LISTED_TOOLS_MAX } from '../../tools.ts'
import {
  type CatalogTool,
  customToolParameters,
  modelToolName,
  ToolCatalog,
} from './tool-catalog.ts'

const toolList = z.array(z.unknown()).max(LISTED_TOOLS_MAX)
/** Descriptions, and the names of what a grammar is written in, are given back in the answer. */
const DESCRIPTION_CHARACTERS_MAX = 256 * 1024
const description = z.string().max(DESCRIPTION_CHARACTERS_MAX).nullish()
const kindOfInput = z.string().max(64)
const anyTool = z.record(z.string(), z.unknown())
const functionTool = z.looseObject({
  name: z.string().min(1),
  description,
  parameters: givenSchema.nullish(),
  strict: z.boolean().nullish(),
})
const customTool = z.looseObject({
  name: z.string().min(1),
  description,
  format: z
    .object({
      type: kindOfInput,
      syntax: kindOfInput.nullish(),
      definition: z.string().max(DESCRIPTION_CHARACTERS_MAX).nullish(),
    })
    .nullish(),
})
const namespaceTool = z.object({
  name: z.string().min(1).max(120),
  description,
  tools: z.array(z.unknown()).max(LISTED_TOOLS_MAX),
})

export class RequestTools {
  readonly catalog = new ToolCatalog()
  /** The tools in the shape that every client takes: all fields of a function are there. */
  readonly shown: ShownTool[] = []
  readonly #dropped = new DroppedTools()

  get dropped(): readonly string[] {
    return this.#dropped.types
  }

  /**
   * Reads a list of tools.
   *
   * @param body that holds the list at the path; undefined and null are an empty list
   * @param replace whether they take the place of tools of the same name
   * @throws {ServiceError} naming the tool at fault
   */
  read(body: JsonObject, path: FieldPath, replace: boolean): void {
    const tools = parseField(toolList.nullish(), body, path) ?? []
    for (const index of tools.keys()) this.readTool(body, [...path, index], replace)
  }

  /** Reads the tool at the path, as `read` reads those of a list. */
  readTool(body: JsonObject, path: FieldPath, replace: boolean): void {
    const type = requiredType(body, path)
    if (type === 'function' || type === 'custom') {
      const { tool, shown } = readCallable(body, path, type, undefined)
      this.catalog.add(tool, replace)
      this.shown.push(shown)
    } else if (type === 'namespace') {
      this.#readNamespace(body, path, replace)
    } else {
      this.#drop(body, path, type)
    }
  }

  /** A tool that the server would run; one that brings a schema is meant to be the caller's own. */
  #drop(body: JsonObject, path: FieldPath, type: string): void {
    const tool = parseField(anyTool, body, path)
    refuseForeignSchema(tool, 'parameters', foreignSchemaAt(path))
    this.#dropped.add(type)
  }

  #readNamespace(body: JsonObject, path: FieldPath, replace: boolean): void {
    const { name, description: about, tools } = parseField(namespaceTool, body, path)
    const shown: object[] = []
    for (const index of tools.keys()) {
      const toolPath = [...path, 'tools', index]
      const type = requiredType(body, toolPath)
      if (type !== 'function' && type !== 'custom') {
        this.#drop(body, toolPath, type)
        continue
      }
      // The text about the whole group stands once, in front of its first tool.
      const group = { name, about: shown.length === 0 ? about : undefined }
      const read = readCallable(body, toolPath, type, group)
      this.catalog.add(read.tool, replace)
      shown.push(read.shown)
    }
    this.shown.push({ type: 'namespace', name, description: about ?? '', tools: shown })
  }
}

/**
 * The tools of an item that is stored, reduced to what is understood: what the server would run
 * keeps its type only. Read again, they are the same tools.
 *
 * @throws {ServiceError} naming the tool at fault
 */
export function keptTools(body: JsonObject, path: FieldPath): readonly object[] {
  return parseField(toolList, body, path).map((_, index) => keptTool(body, [...path, index]))
}

function keptTool(body: JsonObject, path: FieldPath): object {
  const one = new RequestTools()
  one.readTool(body, path, true)
  const dropped = one.dropped.map((type) => ({ type }))
  const [shown] = one.shown
  if (shown === undefined) return { ...dropped[0] }
  return dropped.length === 0 ? shown : { ...shown, tools: [...(shown.tools ?? []), ...dropped] }
}

interface ShownTool {
  readonly type: string
  readonly name: string
  readonly description: string | null
  /** Those of a group. */
  readonly tools?: readonly object[]
}

interface Group {
  readonly name: string
  readonly about: string | null | undefined
}

function readCallable(
  body: JsonObject,
  path: FieldPath,
  type: 'function' | 'custom',
  group: Group | undefined,
): { tool: CatalogTool; shown: ShownTool } {
  const { name, about, parameters, shown } =
    type === 'function' ? readFunction(body, path) : readCustom(body, path)
  const given = {
    name: modelToolName(group?.name, name),
    description: joinedTexts([group?.about, about]),
    parameters,
    param: pathText([...path, 'name']),
  }
  return { tool: { kind: type, name, namespace: group?.name, given }, shown }
}

function readFunction(body: JsonObject, path: FieldPath) {
  const tool = parseField(functionTool, body, path)
  const { name, parameters } = tool
  if (parameters === undefined || parameters === null) {
    refuseForeignSchema(tool, 'parameters', foreignSchemaAt(path))
  }
  const shown = {
    type: 'function',
    name,
    description: tool.description ?? null,
    parameters: parameters ?? null,
    strict: tool.strict ?? null,
  }
  return { name, about: tool.description, parameters, shown }
}

/** A grammar cannot be enforced: it goes into the description, for the model to follow. */
function readCustom(body: JsonObject, path: FieldPath) {
  const tool = parseField(customTool, body, path)
  refuseForeignSchema(tool, undefined, foreignSchemaAt(path))
  const definition = tool.format?.definition
  const grammar = definition && `The input follows this grammar:\n${definition}`
  const about = joinedTexts([tool.description, grammar])
  const { name } = tool
  const shown = { type: 'custom', name, description: tool.description ?? '', format: tool.format }
  return { name, about, parameters: customToolParameters, shown }
}

/** Names the places for the refusal of a schema that stands where another format has it. */
function foreignSchemaAt(path: FieldPath) {
  return { path: pathText(path), schema: `'parameters' of a tool of type "function"` }
}

function requiredType(body: JsonObject, path: FieldPath): string {
  const type = typeAt(body, path)
  if (type !== undefined) return type
  throw missingParameter(pathText([...path, 'type']))
}
