import { useState } from 'react'
import { t } from '../../text/translate.ts'
import { Button, type ButtonProps } from '../button.tsx'
import { copyText } from './copy-text.ts'

export interface CopyButtonProps extends Pick<ButtonProps, 'look'> {
  readonly text: string
  readonly label?: string
}

/** Says aloud whether it worked: a silent failure would lose a key that is shown once. */
export function CopyButton({ text, label = t('copy'), look = 'plain' }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'none' | 'copied' | 'failed'>('none')
  return (
    <span className="inline-flex items-center">
      <Button
        look={look}
        onClick={async ({ currentTarget }) => {
          const inside = currentTarget.parentElement ?? document.body
          setOutcome((await copyText(text, inside)) ? 'copied' : 'failed')
        }}
      >
        {label}
      </Button>
      <span role="status" className="text-sm text-soft not-empty:ml-2">
        {outcome === 'copied' && t('copied')}
        {outcome === 'failed' && t('copyFailed')}
      </span>
    </span>
  )
}
