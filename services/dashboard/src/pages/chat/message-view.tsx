import { Link } from '@tanstack/react-router'
import { countText, durationText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { ExactMoney } from '../../ui/money.tsx'
import { Notice } from '../../ui/notice.tsx'
import { fromPage } from '../close-receipt.ts'
import type { GivenAnswer, Message } from './conversation.ts'
import { Markdown } from './markdown.tsx'

export interface MessageViewProps {
  readonly accountId: string
  readonly message: Message
}

/** A question as it was typed, or an answer with what it cost. */
export function MessageView({ accountId, message }: MessageViewProps) {
  if (message.role === 'user') {
    return (
      <div className="ml-auto w-fit max-w-[85%] rounded-lg bg-panel px-4 py-2 whitespace-pre-wrap wrap-anywhere">
        <span className="sr-only">{t('youAsked')}</span>
        {message.text}
      </div>
    )
  }
  const { text, thinking, end, problem } = message
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <span className="sr-only">{t('modelAnswered')}</span>
      {thinking !== '' && (
        <details className="rounded-md border border-line px-3 py-2 text-sm">
          <summary>{t('thinking')}</summary>
          <p className="mt-2 whitespace-pre-wrap wrap-anywhere">{thinking}</p>
        </details>
      )}
      <Markdown text={text} />
      {end === 'running' && <span className="text-sm text-soft">{t('answering')}</span>}
      {end === 'stopped' && <span className="text-sm text-soft">{t('answerStopped')}</span>}
      {end === 'cut' && <span className="text-sm text-soft">{t('answerCut')}</span>}
      {problem !== undefined && <Notice look="bad">{problem}</Notice>}
      <Use accountId={accountId} answer={message} />
    </div>
  )
}

interface UseProps {
  readonly accountId: string
  readonly answer: GivenAnswer
}

function Use({ accountId, answer: { use, firstTokenMs, requestId } }: UseProps) {
  if (requestId === undefined) return null
  return (
    <p className="flex flex-wrap gap-x-3 text-sm text-soft">
      {use !== undefined && (
        <>
          <span>
            {t('useOfAnswer', {
              input: countText(use.inputTokens),
              cached: countText(use.cachedTokens),
              output: countText(use.outputTokens),
            })}
          </span>
          <ExactMoney amount={use.cost} />
        </>
      )}
      {firstTokenMs !== undefined && (
        <span>{t('firstWord', { time: durationText(firstTokenMs) })}</span>
      )}
      <Link
        to="/accounts/$accountId/requests"
        params={{ accountId }}
        search={{ request: requestId }}
        state={fromPage}
      >
        {t('receipt')}
      </Link>
    </p>
  )
}
