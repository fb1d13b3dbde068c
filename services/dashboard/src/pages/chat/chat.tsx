import { useAccountId } from '../../layout/account-id.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { ChatBar } from './chat-bar.tsx'
import { Composer } from './composer.tsx'
import { MessageView } from './message-view.tsx'
import { SettingsFields } from './settings-fields.tsx'
import { useConversation } from './use-conversation.ts'

/** A conversation with the model, charged like any request to the API. */
export function Chat() {
  const accountId = useAccountId()
  return <OpenChat key={accountId} accountId={accountId} />
}

function OpenChat({ accountId }: { readonly accountId: string }) {
  const { conversation, isRunning, change, ask, stop, clear } = useConversation(accountId)
  const { messages, settings, draft } = conversation
  const clearing = messages.length > 0 && (
    <Button disabled={isRunning} onClick={clear}>
      {t('newConversation')}
    </Button>
  )
  return (
    <Page title={t('chat')} action={clearing}>
      <ChatBar accountId={accountId} messages={messages} />
      <SettingsFields settings={settings} onChange={(changed) => change({ settings: changed })} />
      {messages.length === 0 && <p className="py-6 text-soft">{t('chatEmpty')}</p>}
      <ol className="flex min-w-0 flex-col gap-4" aria-label={t('conversation')}>
        {messages.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages are only ever added at the end
          <li key={index} className="min-w-0">
            <MessageView accountId={accountId} message={message} />
          </li>
        ))}
      </ol>
      <Composer
        draft={draft}
        isRunning={isRunning}
        onDraft={(text) => change({ draft: text })}
        onAsk={ask}
        onStop={stop}
      />
    </Page>
  )
}
