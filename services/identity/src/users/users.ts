/**
 * The users of the dashboard: the stream `users`, folded in memory. What another process has
 * changed counts here within a second.
 */
import { timingSafeEqual } from 'node:crypto'
import { hashSecret, SECRET_RANDOM_BYTES } from '@svc/contracts/checked-secret'
import { decodeEvent, decodeMetadata, encodeEvent } from '@svc/contracts/events/codec'
import {
  type AccountRole,
  type PlatformRole,
  type UserEvent,
  usersStream,
} from '@svc/contracts/events/users'
import { eventId, type IdSource } from '@svc/contracts/ids'
import type { EventStore, NewEvent } from '@svc/contracts/ports/event-store'
import type { Quarantine } from '@svc/contracts/ports/quarantine'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { FreshStream } from '@svc/ledger/fresh-stream'
import { decide } from './decide.ts'
import { noSuchLink, usableLink } from './link-decisions.ts'
import { linkOfSecret, makeLinkSecret } from './link-secret.ts'
import { hasPlatformOwner } from './platform-role.ts'
import { evolve, type Link, noUsers, type User } from './state.ts'
import type { UserCommand } from './user-command.ts'
import { checkRoomForUser } from './user-rules.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const OWNER_LINK_MS = DAY_MS
const INVITATION_MS = 7 * DAY_MS
const RESET_MS = DAY_MS

export type { Link, User } from './state.ts'

export interface UsersPorts {
  readonly store: EventStore
  readonly clock: Clock
  readonly timer: Timer
  readonly ids: IdSource
  /** Gives bytes of a cryptographic source: the secrets of links are made of them. */
  readonly randomBytes: (count: number) => Uint8Array
  /** Is told when the stream cannot be relied on. */
  readonly quarantine?: Pick<Quarantine, 'note'>
}

export interface IssuedLink {
  readonly linkId: string
  readonly secret: string
  readonly expiresAt: number
}

export interface Invited {
  readonly platformRole: PlatformRole | null
  readonly membership: { readonly accountId: string; readonly role: AccountRole } | null
}

/** A command without its time, which is now. */
type Asked = UserCommand extends infer Command
  ? Command extends UserCommand
    ? Omit<Command, 'at'>
    : never
  : never

/** Refusals reject with a `ServiceError`; each promise resolves when what it says is durable. */
export class Users {
  readonly #ports: UsersPorts
  readonly #stream: FreshStream
  readonly #state = noUsers()

  constructor(ports: UsersPorts) {
    this.#ports = ports
    const fold = (event: NewEvent) =>
      evolve(this.#state, decodeEvent(event) as UserEvent, decodeMetadata(event).actor)
    this.#stream = new FreshStream(
      ports,
      { stream: usersStream, from: 'start', fold },
      'Users cannot be checked now.',
    )
  }

  newUserId(): string {
    return this.#ports.ids.next('usr')
  }

  /** @throws {ServiceError} `conflict` when there are as many users as there can be */
  async requireRoom(): Promise<void> {
    await this.#stream.refresh()
    checkRoomForUser(this.#state)
  }

  async find(userId: string): Promise<Readonly<User> | undefined> {
    await this.#stream.refresh()
    return this.#state.users.get(userId)
  }

  /** Lists the users in the order in which they joined. */
  async list(): Promise<readonly Readonly<User>[]> {
    await this.#stream.refresh()
    return [...this.#state.users.values()]
  }

  /** Lists the members in the order in which they came. */
  async membersOf(accountId: string): Promise<readonly Readonly<User>[]> {
    await this.#stream.refresh()
    const ids = [...(this.#state.members.get(accountId) ?? [])]
    return ids.flatMap((userId) => this.#state.users.get(userId) ?? [])
  }

  /** Links that can still be used, the oldest first. */
  async links(): Promise<readonly Link[]> {
    await this.#stream.refresh()
    const now = this.#ports.clock.nowMs()
    return [...this.#state.links.values()].filter(({ expiresAt }) => now < expiresAt)
  }

  /** @throws {ServiceError} `not_found`: one answer for every link that is of no use */
  async linkOf(secret: string): Promise<Link> {
    const linkId = linkOfSecret(secret)
    if (linkId === undefined) throw noSuchLink('secret')
    await this.#stream.refresh()
    const link = usableLink(this.#state, linkId, this.#ports.clock.nowMs())
    const [given, stored] = [hashSecret(secret), link.secretHash].map((text) => Buffer.from(text))
    if (given === undefined || stored === undefined || !timingSafeEqual(given, stored)) {
      throw noSuchLink('secret')
    }
    return link
  }

  /**
   * @param accountId that whoever uses the link owns too, if any
   * @returns undefined when there is an owner, or a link that can still make one
   */
  async issueOwnerLink(
    actor: string,
    accountId: string | undefined,
  ): Promise<IssuedLink | undefined> {
    await this.#stream.refresh()
    if (hasPlatformOwner(this.#state)) return undefined
    const membership = accountId === undefined ? null : ({ accountId, role: 'owner' } as const)
    const link = { kind: 'owner', platformRole: 'owner', membership, userId: null } as const
    const issued = this.#newLink(OWNER_LINK_MS)
    const { made } = await this.#carryOut({ type: 'IssueLink', ...link, ...issued.stored }, actor)
    return made ? issued.shown : undefined
  }

  async invite({ platformRole, membership }: Invited, actor: string): Promise<IssuedLink> {
    const link = { kind: 'invitation', platformRole, membership, userId: null } as const
    const { stored, shown } = this.#newLink(INVITATION_MS)
    await this.#carryOut({ type: 'IssueLink', ...link, ...stored }, actor)
    return shown
  }

  /** The link that was made for the same user before is useless from then on. */
  async issueReset(userId: string, actor: string): Promise<IssuedLink> {
    const link = { kind: 'reset', platformRole: null, membership: null, userId } as const
    const { stored, shown } = this.#newLink(RESET_MS)
    await this.#carryOut({ type: 'IssueLink', ...link, ...stored }, actor)
    return shown
  }

  /** @returns whether it changed anything, and when that was */
  async change(command: Asked, actor: string): Promise<{ readonly changed: boolean; at: number }> {
    const { made, at } = await this.#carryOut(command, actor)
    return { changed: made, at }
  }

  #newLink(lifeMs: number) {
    const { ids, clock, randomBytes } = this.#ports
    const linkId = ids.next('link')
    const secret = makeLinkSecret(linkId, randomBytes(SECRET_RANDOM_BYTES))
    const expiresAt = clock.nowMs() + lifeMs
    return {
      stored: { linkId, secretHash: hashSecret(secret), expiresAt },
      shown: { linkId, secret, expiresAt },
    }
  }

  async #carryOut(command: Asked, actor: string): Promise<{ made: boolean; at: number }> {
    const { ids, clock } = this.#ports
    const changeId = ids.next('chg')
    let made = false
    let at = 0
    await this.#stream.append(() => {
      at = clock.nowMs()
      const events = decide(this.#state, { ...command, at } as UserCommand)
      made = events.length > 0
      return events.map((event, index) => encoded(event, { changeId, index, actor }))
    })
    return { made, at }
  }
}

function encoded(
  event: UserEvent,
  { changeId, index, actor }: { changeId: string; index: number; actor: string },
): NewEvent {
  const { data } = event
  const subject = ('userId' in data ? data.userId : null) ?? ('linkId' in data ? data.linkId : '')
  const origin = { correlationId: subject, causationId: changeId, actor }
  return encodeEvent(eventId(changeId, `${index} ${event.type}`), event, origin)
}
