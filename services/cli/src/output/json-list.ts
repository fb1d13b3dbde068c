/** Writes one JSON object around a list of any length, which is never in memory as a whole. */

import { jsonText } from '@svc/contracts/json-text'
import type { Context } from '../context/context.ts'

export async function outJsonList(
  context: Context,
  schema: string,
  { name, rows }: { name: string; rows: AsyncIterable<object> },
): Promise<void> {
  const opening = jsonText({ schema: `svc.${schema}` }).slice(0, -1)
  await context.out(`${opening},${jsonText(name)}:[`)
  let separator = ''
  for await (const row of rows) {
    await context.out(separator + jsonText(row))
    separator = ','
  }
  await context.out(']}\n')
}
