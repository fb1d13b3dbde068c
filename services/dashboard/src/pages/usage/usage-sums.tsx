import { shareText } from '@svc/contracts/share-text'
import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { countText, periodEdges } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { Card, Figure, Figures } from '../../ui/card.tsx'
import { AsOf, type AsOfProps } from '../../ui/moment.tsx'
import { GlanceMoney } from '../../ui/money.tsx'
import { usedOf } from './usage-rows.ts'

export interface UsageSumsProps {
  readonly usage: Pick<UsageAnswer, 'total' | 'from' | 'to' | 'zone'> & {
    readonly as_of: AsOfProps['asOf']
  }
}

/** The sums of the whole period, which the title names with its zone. */
export function UsageSums({ usage }: UsageSumsProps) {
  const { total, from, to, zone } = usage
  const cached = usedOf(total, 'cached_input').tokens
  const prompt = usedOf(total, 'input').tokens + cached
  const share = prompt === 0 ? 0 : cached / prompt
  return (
    <Card title={t('periodOf', { ...periodEdges(from, to), zone })}>
      <Figures>
        <Figure name={t('cost')}>
          <GlanceMoney amount={total.amount} />
        </Figure>
        <Figure name={t('requests')}>
          {total.requests === null ? '–' : countText(total.requests)}
        </Figure>
        <Figure name={t('promptTokens')}>{countText(prompt)}</Figure>
        <Figure name={t('ofThemCached')}>{shareText(share)}</Figure>
      </Figures>
      <AsOf asOf={usage.as_of} />
    </Card>
  )
}
