import { memo, useMemo } from 'react'
import { safeHtml } from './safe-html.ts'

/** What a model wrote. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const html = useMemo(() => safeHtml(text), [text])
  // biome-ignore lint/security/noDangerouslySetInnerHtml: `safeHtml` is what it is there for
  return <div className="markdown min-w-0" dangerouslySetInnerHTML={{ __html: html }} />
})
