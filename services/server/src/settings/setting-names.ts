/**
 * What a variable named `SVC_…` is, when it is not a setting.
 *
 * A misspelt setting that is silently ignored is worse than a server that does not start. But other
 * programs use names that begin so too: clients of svc, and Kubernetes for a Service called `svc`.
 */
import { closestName } from './closest-name.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Variables by which a client finds the server and its key, on every page and in every example. */
const clientVariables: readonly string[] = ['SVC_URL', 'SVC_KEY']

const PREFIX = 'SVC_'

/** A variable that is ignored, and what may have been meant by it. */
export interface ForeignVariable {
  readonly name: string
  readonly meant: string | undefined
}

export interface SortedVariables {
  readonly settings: Readonly<Record<string, string | undefined>>
  /** Variables whose names are too like a setting's to be ignored. */
  readonly misspelt: readonly { readonly name: string; readonly meant: string }[]
  readonly foreign: readonly ForeignVariable[]
}

/** @param settingNames of all settings; those without the prefix are looked for by name alone */
export function sortVariables(
  environment: Environment,
  settingNames: readonly string[],
): SortedVariables {
  const known = new Set(settingNames)
  const candidates = Object.entries(environment).filter(
    ([name, value]) =>
      (name.startsWith(PREFIX) || known.has(name)) &&
      !clientVariables.includes(name) &&
      !isOfKubernetes(name, value),
  )
  const unknown = candidates.map(([name]) => name).filter((name) => !known.has(name))
  const misspelt = unknown.flatMap((name) => {
    const meant = misspeltSetting(name, settingNames)
    return meant === undefined ? [] : [{ name, meant }]
  })
  const names = [...settingNames, ...clientVariables]
  return {
    settings: Object.fromEntries(candidates.filter(([name]) => known.has(name))),
    misspelt,
    foreign: unknown
      .filter((name) => misspelt.every((each) => each.name !== name))
      .map((name) => ({ name, meant: relatedName(name, names) })),
  }
}

/**
 * What Kubernetes gives to every container beside a Service called `svc`, or `svc-` and more. Its
 * `SVC_PORT` is the address of that Service, and no setting.
 */
function isOfKubernetes(name: string, value: string | undefined): boolean {
  if (/^SVC_(\w+_)?PORT$/.test(name) && /^(tcp|udp|sctp):\/\//.test(value ?? '')) return true
  return /^SVC_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/.test(name)
}

/** Finds a setting that differs by a few letters, by its end left off, or by a prefix. */
function misspeltSetting(name: string, settingNames: readonly string[]): string | undefined {
  const stems = settingNames.map(stemOf)
  const begun = settingNames.find((setting) => setting.startsWith(`${name}_`))
  if (begun !== undefined) return begun
  const stem = closestName(stemOf(name), stems)
  return stem === undefined ? undefined : settingNames[stems.indexOf(stem)]
}

/** A name whose words are all in this one, or the other way round, or that differs by letters. */
function relatedName(name: string, names: readonly string[]): string | undefined {
  const words = new Set(stemOf(name).split('_'))
  const related = names.filter((each) => {
    const others = new Set(stemOf(each).split('_'))
    return others.isSubsetOf(words) || words.isSubsetOf(others)
  })
  // The longest of several says most of what the name says.
  const [longest] = related.sort((one, other) => other.length - one.length)
  return longest ?? misspeltSetting(name, names)
}

function stemOf(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name
}
