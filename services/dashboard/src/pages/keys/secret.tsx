import { useSession } from '../../api/session.ts'
import { t } from '../../text/translate.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Code } from '../../ui/copying/code.tsx'
import { Notice } from '../../ui/notice.tsx'
import { snippetFor } from '../client-snippets.ts'
import { FirstCall } from '../first-call.tsx'
import { useShownOnce } from '../shown-once.ts'

export interface SecretProps {
  readonly secret: string
  readonly onStored: () => void
}

/** A key as it is seen once, with what it can be pasted into. */
export function Secret({ secret, onStored }: SecretProps) {
  useShownOnce()
  const { base_url: baseUrl } = useSession()
  const environment = `${snippetFor('env', { baseUrl, secret })}\n`
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Notice look="warn">{t('secretOnce')}</Notice>
      <Code label={t('secret')} text={secret} />
      <FirstCall baseUrl={baseUrl} secret={secret} />
      <div className="flex flex-wrap justify-between gap-2">
        <a
          className={buttonClass('plain')}
          download="svc.env"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(environment)}`}
        >
          {t('downloadEnv')}
        </a>
        <Button look="main" onClick={onStored}>
          {t('secretStored')}
        </Button>
      </div>
    </div>
  )
}
