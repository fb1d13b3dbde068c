/** Idempotency keys: what is asked for twice, such as after a lost answer, happens once. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { type ApiError, isDoubtful } from './api-error.ts'
import { keyOfUnanswered, noteAnswered, noteAsked } from './unanswered-changes.ts'

const KEY_BYTES = 16

/**
 * @returns one key for the same content as long as a form is open, another for other content; that
 *   of a change with this content whose answer never came
 */
export function useOnceKey(): (content: object) => string {
  const keys = useRef(new Map<string, string>())
  return (content) => {
    const text = JSON.stringify(content)
    const key = keys.current.get(text) ?? keyOfUnanswered(text) ?? newKey()
    keys.current.set(text, key)
    return key
  }
}

/**
 * A change that makes something new, such as a key. Whoever loses its answer and asks for the same
 * again, in another form or after a reload, does not make a second one.
 *
 * @param operation the name of the change: others may have the same content
 */
export function useMadeOnce<Input extends object, Answer>(
  operation: string,
  make: (input: Input, key: string) => Promise<Answer>,
) {
  const client = useQueryClient()
  const keyOf = useOnceKey()
  return useMutation<Answer, ApiError, Input>({
    mutationFn: (input) => {
      const content = { operation, ...input }
      const key = keyOf(content)
      return noted(JSON.stringify(content), key, () => make(input, key))
    },
    onSuccess: () => client.invalidateQueries(),
  })
}

/** Keeps the key of a change until its answer says that it is done, or was refused. */
export async function noted<Answer>(
  content: string,
  key: string,
  change: () => Promise<Answer>,
): Promise<Answer> {
  noteAsked(content, key)
  try {
    const answer = await change()
    noteAnswered(key)
    return answer
  } catch (error) {
    if (!isDoubtful(error)) noteAnswered(key)
    throw error
  }
}

/** `randomUUID` is missing where a page is served without TLS in a local network. */
function newKey(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
  return `dashboard-${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
