import { formatExact, parseDollars } from '@svc/contracts/money'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/queries.ts'
import { t } from '../../text/translate.ts'
import { AsOf } from '../../ui/moment.tsx'
import { ExactMoney, exactText, GlanceMoney } from '../../ui/money.tsx'
import type { Message } from './conversation.ts'

const REFRESH_MS = 5_000

export interface ChatBarProps {
  readonly accountId: string
  readonly messages: readonly Message[]
}

/**
 * Shows the balance and the prices before a question, and afterwards what the conversation cost so
 * far.
 */
export function ChatBar({ accountId, messages }: ChatBarProps) {
  const balance = useQuery({
    ...ask('accountBalance', { account_id: accountId }),
    refetchInterval: REFRESH_MS,
  })
  const prices = useQuery({
    // No model has one while no worker is ready, and another may take force at any time.
    ...ask('prices', { account_id: accountId }),
    refetchInterval: REFRESH_MS,
  })
  const price = prices.data?.data[0]?.price
  return (
    <div>
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        <div className="flex gap-2">
          <dt className="text-soft">{t('available')}</dt>
          <dd>
            <GlanceMoney amount={balance.data?.available} />
          </dd>
        </div>
        {price && (
          <div className="flex gap-2">
            <dt className="text-soft">{t('perMillion')}</dt>
            <dd>
              {t('rates', {
                input: exactText(price.input),
                cached: exactText(price.cached_input),
                output: exactText(price.output),
              })}
            </dd>
          </div>
        )}
        <div className="flex gap-2">
          <dt className="text-soft">{t('conversationCost')}</dt>
          <dd>
            <ExactMoney amount={costOf(messages)} />
          </dd>
        </div>
      </dl>
      <AsOf asOf={balance.data?.as_of} isRefreshed />
    </div>
  )
}

function costOf(messages: readonly Message[]): string {
  const costs = messages.flatMap((message) =>
    message.role === 'assistant' && message.use?.cost ? [parseDollars(message.use.cost)] : [],
  )
  return formatExact(costs.reduce((sum, cost) => sum + cost, 0n))
}
