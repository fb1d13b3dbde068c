import { MODEL } from '@svc/contracts/wire/models'
import { useState } from 'react'
import { t } from '../text/translate.ts'
import { Code } from '../ui/copying/code.tsx'
import { Choice } from '../ui/forms/field.tsx'
import { type ClientName, clients, snippetFor } from './client-snippets.ts'

export interface FirstCallProps {
  /** The address to which clients send their requests, without `/v1`. */
  readonly baseUrl: string
  /** Filled in where it has just been made; else a name of a variable stands for it. */
  readonly secret?: string
}

/** Something to paste that works, in the language of the reader. */
export function FirstCall({ baseUrl, secret }: FirstCallProps) {
  const [client, setClient] = useState<ClientName>('curl')
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="text-sm">
        {t('baseUrls')} <code className="wrap-anywhere">{`${baseUrl}/v1`}</code> (OpenAI),{' '}
        <code className="wrap-anywhere">{baseUrl}</code> (Anthropic). {t('model')}:{' '}
        <code>{MODEL}</code>
      </p>
      <div className="max-w-60">
        <Choice label={t('client')} value={client} options={clients} onChoose={setClient} />
      </div>
      <Code label={t('example')} text={snippetFor(client, { baseUrl, secret })} />
    </div>
  )
}
