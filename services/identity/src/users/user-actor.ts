/** A user as the one who did something, as it stands in events: no person's name. */
export function actorOf(userId: string): string {
  return `user:${userId}`
}
