/**
 * Rules on who can be told of, and how many there can be. Several decisions about users rest on
 * them.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { User, UsersState } from './state.ts'

export interface UserBounds {
  readonly users: number
  /** The number of links that can still be used. */
  readonly links: number
  /** The same, of one account: none keeps the others from letting people in. */
  readonly linksOfAccount: number
  readonly membersOfAccount: number
  readonly accountsOfUser: number
}

export const userBounds: UserBounds = {
  users: 20_000,
  links: 2_000,
  linksOfAccount: 50,
  membersOfAccount: 100,
  accountsOfUser: 100,
}

export function knownUser({ users }: UsersState, userId: string): User {
  const user = users.get(userId)
  if (user === undefined) throw noSuchUser(userId)
  return user
}

export function activeUser(state: UsersState, userId: string): User {
  const user = knownUser(state, userId)
  if (user.status !== 'active') throw conflict(`The user is ${user.status}.`)
  return user
}

/** @throws {ServiceError} `conflict` when there are as many users as there can be */
export function checkRoomForUser(state: UsersState, bounds = userBounds): void {
  checkRoom(state.users.size, bounds.users, 'users')
}

export function checkRoom(count: number, max: number, what: string): void {
  if (count >= max) throw conflict(`There are ${max} ${what}, the most there can be.`)
}

export function noSuchUser(userId: string): ServiceError {
  return new ServiceError('not_found', `There is no user ${userId}.`, { param: 'user_id' })
}

export function conflict(message: string): ServiceError {
  return new ServiceError('conflict', message)
}
