/**
 * Money is a `bigint`, never a `number`: what is named like money may not be typed or made a
 * number.
 */
import { isNode, lineOf, parse, type SyntaxNode, visit } from './syntax.ts'
import type { SourceFile } from './workspace.ts'

const guarded = /^(contracts|services\/ledger|services\/gateway|projections|infra)\//

const moneyWords =
  /^(amount|balance|hold|held|price|debit|credit|debt|cost|charge|dollar|settled|fee)s?$/
/** A name that ends so is about money but is no money: `holdCount`, `priceMadeAt`. */
const otherEndings = /^(at|ms|back|count|index|revision|priority|status|decimals|limit)$/
const conversions = /^(Number|parseFloat|parseInt|Number\.(parseFloat|parseInt))$/
const numericSchema = /\bz\.(number|int|int32|float64|coerce\.number)\b/

export function moneyAsNumber(files: readonly SourceFile[]): readonly string[] {
  return files.filter(({ path }) => guarded.test(path)).flatMap(breachesOf)
}

function breachesOf(file: SourceFile): readonly string[] {
  const found: string[] = []
  const source = (node: SyntaxNode) => file.text.slice(node.start, node.end)
  visit(parse(file), (node) => {
    const problem =
      declaredAsNumber(node) ?? returnedAsNumber(node) ?? convertedToNumber(node, source)
    if (problem !== undefined) {
      found.push(`${file.path}:${lineOf(file.text, node.start)} ${problem}`)
    }
  })
  return found
}

/**
 * A field, parameter or variable with a number in its type, or a schema field with a numeric
 * schema.
 */
function declaredAsNumber(node: SyntaxNode): string | undefined {
  const name = nameOf(node) ?? nameOf(node.key)
  if (name === undefined || !isMoney(name)) return undefined
  return hasNumber(node.typeAnnotation) ? `types ${name} as a number` : undefined
}

/** A function or method that is named like money and returns a number. */
function returnedAsNumber(node: SyntaxNode): string | undefined {
  const name = nameOf(node.id) ?? nameOf(node.key)
  if (name === undefined || !isMoney(name)) return undefined
  const made = (node.init ?? node.value ?? node) as SyntaxNode
  return hasNumber(made.returnType) ? `returns ${name} as a number` : undefined
}

function convertedToNumber(
  node: SyntaxNode,
  source: (node: SyntaxNode) => string,
): string | undefined {
  if (node.type === 'CallExpression' && conversions.test(source(node.callee as SyntaxNode))) {
    const money = (node.arguments as readonly SyntaxNode[]).map(moneyIn).find(Boolean)
    return money === undefined ? undefined : `makes a number of ${money}`
  }
  if (node.type === 'TSAsExpression' && hasNumber(node.typeAnnotation)) {
    const money = moneyIn(node.expression as SyntaxNode)
    return money === undefined ? undefined : `casts ${money} to a number`
  }
  if (node.type !== 'Property') return undefined
  const name = nameOf(node.key)
  const value = source(node.value as SyntaxNode)
  return name !== undefined &&
    isMoney(name) &&
    numericSchema.test(value) &&
    !value.startsWith('z.object')
    ? `reads ${name} as a number`
    : undefined
}

/**
 * The first name in an expression that is named like money. Money by money is a count, and no
 * money.
 */
function moneyIn(expression: SyntaxNode): string | undefined {
  const { type, operator, right } = expression
  if (type === 'BinaryExpression' && operator === '/' && isNode(right) && moneyIn(right)) {
    return undefined
  }
  let money: string | undefined
  visit(expression, (node) => {
    const name = node.type === 'Identifier' ? nameOf(node) : undefined
    if (name !== undefined && isMoney(name)) money ??= name
  })
  return money
}

/**
 * Whether a type is a number, or a union, array or promise of one. An object's fields speak for
 * themselves.
 */
function hasNumber(type: unknown): boolean {
  if (!isNode(type)) return false
  if (type.type === 'TSNumberKeyword') return true
  if (['TSTypeLiteral', 'TSFunctionType'].includes(type.type)) return false
  return Object.values(type).flat().some(hasNumber)
}

function isMoney(name: string): boolean {
  const words = name.split(/(?=[A-Z])|_/).map((word) => word.toLowerCase())
  return words.some((word) => moneyWords.test(word)) && !otherEndings.test(words.at(-1) ?? '')
}

function nameOf(value: unknown): string | undefined {
  const name = (value as SyntaxNode | null | undefined)?.name
  return typeof name === 'string' ? name : undefined
}
