/** `docs/reference/events/*.json`: a JSON Schema of each event that leaves the house. */
import { z } from 'zod'
import { accountEventSchemas } from '../src/events/account.ts'
import { pricingEventSchemas } from '../src/events/pricing.ts'
import { currentVersion } from '../src/events/storage/upcast.ts'

/** @returns the files by name, such as `CreditDebited.v1.json` */
export function eventSchemaFiles(): ReadonlyMap<string, string> {
  const schemas = Object.entries<z.ZodType>({ ...accountEventSchemas, ...pricingEventSchemas })
  return new Map(
    schemas.map(([type, schema]) => {
      const version = currentVersion(type)
      const json = { title: type, version, ...z.toJSONSchema(schema, { io: 'input' }) }
      return [`${type}.v${version}.json`, `${JSON.stringify(json, null, 2)}\n`]
    }),
  )
}
