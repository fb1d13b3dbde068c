/**
 * Who may do what with which stream, as the real server keeps it: in events of its own.
 *
 *     metadata of the stream, `$acl`            one right after the other, where it is named
 *     event `update-default-acl` in `$settings` for all streams that say nothing themselves
 *     the server's own                          user streams: everybody; others: `$admins`
 *
 * Members of `$admins` may do everything.
 */
import type { EventLog } from './event-log.ts'

/** To read, to write, to delete; and to read and write the metadata of a stream. */
export type Right = '$r' | '$w' | '$d' | '$mr' | '$mw'

export interface User {
  readonly username: string
  readonly groups: readonly string[]
}

export const ADMINS = '$admins'
const EVERYBODY = '$all'
const METADATA_PREFIX = '$$'

export class AccessRules {
  readonly #log: EventLog

  constructor(log: EventLog) {
    this.#log = log
  }

  allows({ username, groups }: User, right: Right, stream: string): boolean {
    if (groups.includes(ADMINS)) return true
    if (stream.startsWith(METADATA_PREFIX)) {
      const described = stream.slice(METADATA_PREFIX.length)
      return this.allows({ username, groups }, right === '$r' ? '$mr' : '$mw', described)
    }
    const allowed = this.#allowed(right, stream)
    return [EVERYBODY, username, ...groups].some((role) => allowed.includes(role))
  }

  #allowed(right: Right, stream: string): readonly string[] {
    const isSystem = stream.startsWith('$')
    const defaults = fieldOf(this.#log.defaultAcl, isSystem ? '$systemStreamAcl' : '$userStreamAcl')
    return (
      rolesIn(this.#log.stream(stream).metadata.$acl, right) ??
      rolesIn(defaults, right) ?? [isSystem ? ADMINS : EVERYBODY]
    )
  }
}

/** @returns undefined when it says nothing of the right; one role may stand without brackets */
function rolesIn(acl: unknown, right: Right): readonly string[] | undefined {
  const roles = fieldOf(acl, right)
  if (typeof roles === 'string') return [roles]
  return Array.isArray(roles) ? roles.map(String) : undefined
}

function fieldOf(record: unknown, name: string): unknown {
  return typeof record === 'object' && record !== null ? Reflect.get(record, name) : undefined
}
