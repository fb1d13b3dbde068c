/** Operations whose answers are held against their declarations: no field missing, none more. */
import { isDeepStrictEqual } from 'node:util'
import type { Declaration } from '@svc/contracts/admin/declaration'
import { adminOperations, type Operations } from '@svc/contracts/admin/operations'

type Handler = (...given: readonly unknown[]) => unknown

/** @throws {Error} from an operation that answers otherwise than it is declared */
export function withDeclaredAnswers(operations: Operations): Operations {
  const checked = Object.entries<Declaration>(adminOperations).map(([name, declared]) => {
    const handler = operations[name as keyof Operations] as Handler
    const one = async (...given: readonly unknown[]) =>
      asDeclared(name, declared, await handler(...given))
    async function* lines(...given: readonly unknown[]) {
      for await (const line of handler(...given) as AsyncIterable<unknown>) {
        yield asDeclared(name, declared, line)
      }
    }
    return [name, declared.answer === 'lines' ? lines : one]
  })
  return Object.fromEntries(checked) as Operations
}

function asDeclared(name: string, { output }: Declaration, answer: unknown): unknown {
  const parsed = output.parse(answer)
  if (isDeepStrictEqual(parsed, answer)) return answer
  throw new Error(`${name} answers more than it declares: ${JSON.stringify(answer)}`)
}
