/** Objects of a body whose inside belongs to the caller: no copy of them is made. */
import type { JsonObject } from '@svc/contracts/strict-json'
import { withDigits } from '@svc/contracts/written-digits'
import { z } from 'zod'

/** How its numbers were written is noted of the object itself, so a copy would lose it. */
export const givenObject = z
  .unknown()
  .meta({ type: 'object' })
  .transform((input, context): JsonObject => {
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
      return input as JsonObject
    }
    context.addIssue({ code: 'invalid_type', expected: 'record', input })
    return z.NEVER
  })

/** A JSON Schema. It is only written again, with its numbers as the caller wrote them. */
export const givenSchema = givenObject.transform(withDigits)
