import type { KeptVerification } from '@svc/contracts/admin/verification'
import { useQuery } from '@tanstack/react-query'
import { askAdmin } from '../../../api/admin.ts'
import { countText } from '../../../text/times.ts'
import { Code } from '../../../ui/copying/code.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { actorName } from '../events/actors.ts'
import { t } from '../operator-text.ts'

const foundNames = {
  broken: 'foundBroken',
  unreadable: 'foundUnreadable',
  set_aside: 'foundAside',
  missing_positions: 'problemMissing',
  contradicted: 'foundContradicted',
  texts_altered: 'foundAltered',
  texts_missing: 'foundTextGone',
  texts_unfinished: 'foundTextLeft',
} as const satisfies Readonly<Record<keyof KeptVerification['found'], string>>
const foundKinds = Object.keys(foundNames) as (keyof typeof foundNames)[]

/** When the log was last verified, by whom, how much of it, and what came out: kept by the log. */
export function LastVerification() {
  // A server that is older than the page keeps none: then nothing is said.
  const { data } = useQuery(askAdmin('lastVerification', {}))
  if (data === undefined) return null
  if (data.verification === null) return <p className="text-sm">{t('neverVerified')}</p>
  return <Kept verification={data.verification} />
}

function Kept({ verification }: { readonly verification: KeptVerification }) {
  const { data: users = [] } = useQuery(askAdmin('listUsers', {}))
  const { verified_at, verified_by, from, ok, found, anchor, head } = verification
  const read = {
    events: countText(verification.events),
    streams: countText(verification.streams),
    position: countText(Number(verification.position)),
  }
  const problems = foundKinds.filter((kind) => found[kind] > 0)
  return (
    <>
      <Notice look={ok ? 'good' : 'bad'}>
        <p>
          {t('lastVerified', { name: actorName(verified_by, users) })} <Moment at={verified_at} />
        </p>
        <p>{t(ok ? 'chainHolds' : 'chainBroken', read)}</p>
        {from !== null && <p>{t('verifiedBehind', { position: countText(Number(from)) })}</p>}
      </Notice>
      {!ok && (
        <ul className="list-disc pl-5 text-sm">
          {problems.map((kind) => (
            <li key={kind}>{t(foundNames[kind], { count: countText(found[kind]) })}</li>
          ))}
          {anchor === 'cut' && <li>{t('anchorCut')}</li>}
          {anchor === 'differs' && <li>{t('anchorDiffers')}</li>}
        </ul>
      )}
      {head !== null && <Code label={t('headToNote')} text={head} />}
    </>
  )
}
