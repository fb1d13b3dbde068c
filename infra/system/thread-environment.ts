/**
 * The environment of a thread of this process: where Node keeps what it compiled, and nothing else.
 * A thread needs none of the process's secrets. Without that folder it strips the types of all that
 * it loads at each start, which takes longer than what most threads do.
 */
export function threadEnvironment(): { readonly NODE_COMPILE_CACHE?: string } {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}
