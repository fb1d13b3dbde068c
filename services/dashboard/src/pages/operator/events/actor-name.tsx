import { useQuery } from '@tanstack/react-query'
import { askAdmin } from '../../../api/admin.ts'
import { GivenName } from '../../../ui/given-name.tsx'
import { actorName } from './actors.ts'

export interface ActorNameProps {
  /** Is undefined when an older server does not say it. */
  readonly actor: string | undefined
}

/** The name that a user goes by now; of a program, the actor as the log has it. */
export function ActorName({ actor }: ActorNameProps) {
  const { data: users = [] } = useQuery(askAdmin('listUsers', {}))
  if (actor === undefined) return '–'
  return <GivenName name={actorName(actor, users)} />
}
