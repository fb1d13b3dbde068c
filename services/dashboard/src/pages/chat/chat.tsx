import { useSession } from '../../api/session.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { useAccountStatus } from '../../layout/account-role.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { ChatBar } from './chat-bar.tsx'
import { Composer } from './composer.tsx'
import type { Talkers } from './conversation.ts'
import { MessageView } from './message-view.tsx'
import { SettingsFields } from './settings-fields.tsx'
import { useConversation } from './use-conversation.ts'

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
    </Page>
  )
}
