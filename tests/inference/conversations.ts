/**
 * Prompts whose course on the bundled model is known: one that is long in its prompt, and one that
 * is long in its answer.
 */

const WORDS = 'hello '

/**
 * Some 4000 tokens, which take seconds to compute, in chunks of a tenth of a second. While one is
 * computed, every other answer gets one token for each chunk: nothing ends before it is looked at.
 *
 * @param start makes it a prompt of its own, of which nothing is cached
 */
export function longPrompt(start: string): { readonly messages: object[] } {
  return { messages: [{ role: 'user', content: `${start} ${WORDS.repeat(980)}` }] }
}

/** Its answer has about a hundred tokens. */
export const longAnswer = {
  messages: [{ role: 'user', content: 'Write a short story about a fox named Mira' }],
}
