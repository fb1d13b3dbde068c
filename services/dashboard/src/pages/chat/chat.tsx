import { useState } from 'react'
import { useSession } from '../../api/session.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { useAccountStatus } from '../../layout/account-role.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { ChatBar } from './chat-bar.tsx'
import { Composer } from './composer.tsx'
import type { AnswerEnd, Message, Talkers } from './conversation.ts'
import { useFollowedEnd } from './followed-end.ts'
import { MessageView } from './message-view.tsx'
import { SettingsFields } from './settings-fields.tsx'
import { useConversation } from './use-conversation.ts'

const ANSWERED: ReadonlySet<AnswerEnd> = new Set(['whole', 'cut'])

/** A conversation with the model, charged like any request to the API. */
export function Chat() {
  const accountId = useAccountId()
  const userId = useSession().user?.user_id ?? ''
  return <OpenChat key={`${accountId} ${userId}`} accountId={accountId} userId={userId} />
}

function OpenChat({ accountId, userId }: Talkers) {
  const { conversation, isRunning, change, ask, stop, clear } = useConversation({
    accountId,
    userId,
  })
  const { messages, settings, draft } = conversation
  // What an account that is not open asks is refused; why stands above every page of it.
  const isOpen = useAccountStatus() === 'open'
  const isAsking = isOpen || isRunning
  const end = useFollowedEnd(messages)
  const clearing = messages.length > 0 && (
    <Button disabled={isRunning} onClick={clear}>
      {t('newConversation')}
    </Button>
  )
  return (
    <Page title={t('chat')} action={clearing}>
      <ChatBar accountId={accountId} messages={messages} />
      {isAsking && (
        <SettingsFields settings={settings} onChange={(changed) => change({ settings: changed })} />
      )}
      {messages.length === 0 && isOpen && <p className="py-6 text-soft">{t('chatEmpty')}</p>}
      <ol className="flex min-w-0 flex-col gap-4" aria-label={t('conversation')}>
        {messages.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages are only ever added at the end
          <li key={index} className="min-w-0">
            <MessageView accountId={accountId} message={message} />
          </li>
        ))}
      </ol>
      {isAsking && (
        <Composer
          draft={draft}
          isRunning={isRunning}
          onDraft={(text) => change({ draft: text })}
          onAsk={ask}
          onStop={stop}
        />
      )}
      <Told answer={messages.at(-1)} isRunning={isRunning} />
      <div ref={end} />
    </Page>
  )
}

interface ToldProps {
  readonly answer: Message | undefined
  readonly isRunning: boolean
}

/** Tells those who do not see the answer come that it comes, and that it is there. */
function Told({ answer, isRunning }: ToldProps) {
  const [hasRun, setRun] = useState(false)
  if (isRunning && !hasRun) setRun(true)
  const isThere = hasRun && answer?.role === 'assistant' && ANSWERED.has(answer.end)
  return (
    <p role="status" className="sr-only">
      {isRunning ? t('answerComes') : isThere && t('answerThere')}
    </p>
  )
}
