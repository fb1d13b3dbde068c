/** One JSON object around a list of any length, which is never in memory as a whole. */
import type { Context } from '../context/context.ts'
import { jsonText } from '../context/json-text.ts'

/**
 * @param tail properties that are known only at the end
 */
export async function outJsonList(
  context: Context,
  schema: string,
  { head = {}, name, rows }: { head?: object; name: string; rows: AsyncIterable<object> },
  tail: () => object = () => ({}),
): Promise<void> {
  const opening = jsonText({ schema: `svc.${schema}`, ...head }).slice(0, -1)
  await context.out(`${opening},${jsonText(name)}:[`)
  let separator = ''
  for await (const row of rows) {
    await context.out(separator + jsonText(row))
    separator = ','
  }
  const closing = jsonText(tail()).slice(1, -1)
  await context.out(`]${closing === '' ? '' : `,${closing}`}}\n`)
}
