/**
 * JSON Schema to grammar: the door of this room, through which the rest of the worker enters.
 *
 *     schema/   what a schema demands, and what it would be unsafe to accept
 *     pattern/  regular expressions and formats, as automata
 *     json/     JSON values as text
 *     gbnf/     expressions, their simplification and bounds, and llama.cpp's notation
 */
export { GrammarRules, literal } from './gbnf/gbnf.ts'
export { Work } from './gbnf/work.ts'
export { stringFormats } from './pattern/string-format.ts'
export { addArguments, addUncheckedArguments } from './schema/argument-schema.ts'
export { addAnyObject, addSchema } from './schema/json-schema.ts'
export { defaultSchemaLimits, type SchemaLimits } from './schema/schema-limits.ts'
export { UnsupportedSchema } from './schema/unsupported-schema.ts'
