/**
 * Who caused an event: the `actor` in its metadata. These words are part of the storage format.
 * None is the name of a person: names are kept beside the log, where they can be erased. A key of
 * an account is named by its id alone.
 */

/**
 * The actor is whoever has the root token of the first start, or the data folder of a stopped
 * server itself.
 */
export const OPERATOR_ACTOR = 'operator'
/** A first start, for what it makes without being asked. */
export const FIRST_RUN_ACTOR = 'first-run'
/** The checkpointer, which signs the log. */
export const EVIDENCE_ACTOR = 'evidence'
/** Somebody who opened an account for themselves, for the credit that every such account gets. */
export const SIGN_UP_ACTOR = 'sign-up'
/** The sweeper, for requests whose gateway died. */
export const SWEEPER_ACTOR = 'sweeper'
/** The payments of a topic. */
export const TOP_UPS_ACTOR = 'top-ups'

const USER_PREFIX = 'user:'

/** A word of questions, which no event has: all users and whoever has an admin token. */
export const ADMINISTRATORS = 'administrators'

export function gatewayActor(gatewayId: string): string {
  return `gateway:${gatewayId}`
}

/**
 * A first start, for the price that its settings name. It does not bear the name of the gateway: a
 * price that a gateway published counts as the demo price, at which only the bundled model is sold.
 */
export function initialPriceActor(gatewayId: string): string {
  return `${FIRST_RUN_ACTOR}:${gatewayId}`
}

/** @param name of the admin token: its word (`kept-text.ts`), or a name of before there were any */
export function tokenActor(name: string): string {
  return `${OPERATOR_ACTOR}:${name}`
}

/** A user of the dashboard. */
export function userActor(userId: string): string {
  return `${USER_PREFIX}${userId}`
}

/** Whether it is a person, or a program with an admin token: not the server in its own work. */
export function isAdministrator(actor: string): boolean {
  const isToken = actor === OPERATOR_ACTOR || actor.startsWith(`${OPERATOR_ACTOR}:`)
  return isToken || actor.startsWith(USER_PREFIX)
}

/** @returns the id of the user, or null when it was somebody else, or nobody is named */
export function userOfActor(actor: string | null): string | null {
  return actor?.startsWith(USER_PREFIX) === true ? actor.slice(USER_PREFIX.length) : null
}
