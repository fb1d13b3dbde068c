import type { VerifyProgress, VerifyResult } from '@svc/contracts/admin/verification'
import { countText } from '../../../text/times.ts'
import { Code } from '../../../ui/copying/code.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { t } from '../operator-text.ts'
import { WorkCard } from '../running/work-card.tsx'
import { LastVerification } from './last-verification.tsx'

/** Every event read again, and its hash computed again. */
export function VerifyCard() {
  return (
    <WorkCard
      title={t('verify')}
      text={t('verifyText')}
      startName={t('verifyNow')}
      operation="verify"
      input={{}}
      shareOf={shareOf}
    >
      {(result) => (result === undefined ? <LastVerification /> : <Result result={result} />)}
    </WorkCard>
  )
}

function shareOf({ position, head }: VerifyProgress): number {
  return Number(head) <= 0 ? 1 : Math.min(1, Number(position) / Number(head))
}

function Result({ result }: { readonly result: VerifyResult }) {
  const problems = problemsOf(result)
  const read = {
    events: countText(result.events),
    streams: countText(result.streams),
    position: countText(Number(result.position)),
  }
  return (
    <>
      <Notice look={problems.length === 0 ? 'good' : 'bad'}>
        {t(problems.length === 0 ? 'chainHolds' : 'chainBroken', read)}
      </Notice>
      {problems.length > 0 && (
        <ul className="list-disc pl-5 text-sm">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {!result.kept && <Notice look="warn">{t('verificationNotKept')}</Notice>}
      {result.head !== null && <Code label={t('headToNote')} text={result.head} />}
    </>
  )
}

/** Says each problem in a line of its own, with its place in the log. */
function problemsOf(result: VerifyResult): readonly string[] {
  const { broken, unreadable, set_aside: aside, contradicted, texts } = result
  return [
    ...broken.map((place) => t('problemBroken', place)),
    ...unreadable.map((place) => t('problemUnreadable', place)),
    ...aside.map((order) => t('problemAside', order)),
    ...(result.missing_positions === '0'
      ? []
      : [t('problemMissing', { count: result.missing_positions })]),
    ...contradicted.map((memory) => t('problemContradicted', memory)),
    ...texts.altered.map((place) => t('problemAltered', place)),
    ...texts.missing.map((place) => t('problemTextGone', place)),
    ...texts.unfinished.map((place) => t('problemTextLeft', place)),
  ]
}
