import type { Attack } from './attack.ts'
import { bodyAttacks } from './attacks/bodies.ts'
import { floodAttacks } from './attacks/floods.ts'
import { schemaAttacks } from './attacks/schemas.ts'
import { socketAttacks } from './attacks/sockets.ts'

/** Each with a name of its own. */
export const attacks: readonly Attack[] = [
  ...schemaAttacks,
  ...floodAttacks,
  ...bodyAttacks,
  ...socketAttacks,
]
