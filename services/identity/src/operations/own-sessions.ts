/** A user's own sessions: listed, and ended. */

import { type Handlers, openOf } from './handler.ts'
import type { IdentityPorts } from './ports.ts'
import { timeText } from './session-details.ts'

export function ownSessions({
  sessions,
}: Pick<IdentityPorts, 'sessions'>): Handlers<'listSessions' | 'endSession' | 'endOtherSessions'> {
  return {
    async listSessions(_input, visitor) {
      const { user, session: own } = openOf(visitor)
      return (await sessions.list(user)).map((session) => ({
        session_id: session.sessionId,
        current: session.sessionId === own.sessionId,
        created_at: timeText(session.createdAt),
        last_used_at: timeText(session.lastUsedAt),
        expires_at: timeText(sessions.idleExpiryOf(session)),
        address: session.address,
        user_agent: session.userAgent,
      }))
    },

    async endSession({ session_id: sessionId }, visitor) {
      const { user, session } = openOf(visitor)
      const ended = await sessions.end(user.userId, sessionId)
      if (ended && sessionId === session.sessionId) visitor.carry(null)
      return { ended: ended ? 1 : 0 }
    },

    async endOtherSessions(_input, visitor) {
      const { user, session } = openOf(visitor)
      return { ended: await sessions.endAll(user.userId, session.sessionId) }
    },
  }
}
