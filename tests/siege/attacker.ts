/** The attacking process: takes an {@link AttackPlan} as its argument, prints the result. */
import type { AttackPlan, AttackResult } from './attack.ts'
import { attacks } from './attack-list.ts'

const plan = JSON.parse(process.argv[2] ?? '') as AttackPlan
const attack = attacks.find(({ name }) => name === plan.attack)
if (attack === undefined) throw new Error(`there is no attack ${plan.attack}`)

const counts: Record<string, number> = {}
const over = new AbortController()
const timer = setTimeout(() => over.abort(), plan.seconds * 1000)
await attack.run({
  baseUrl: plan.baseUrl,
  keys: plan.keys,
  signal: over.signal,
  ended: (status) => {
    counts[status] = (counts[status] ?? 0) + 1
  },
})
clearTimeout(timer)
const result: AttackResult = counts
process.stdout.write(`${JSON.stringify(result)}\n`)
// Sockets that the server still holds are closed by the end of the process.
process.exit(0)
