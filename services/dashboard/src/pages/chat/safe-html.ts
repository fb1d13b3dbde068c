/**
 * Markdown of a model as HTML that can do nothing: no image calls home, no link runs a script, no
 * form asks for anything.
 */
import DOMPurify from 'dompurify'
import { marked } from 'marked'

const purifier = DOMPurify(window)
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return
  node.setAttribute('rel', 'noopener noreferrer nofollow')
  node.setAttribute('target', '_blank')
})

export function safeHtml(markdown: string): string {
  const html = marked.parse(markdown, { async: false, gfm: true, breaks: true })
  return purifier.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['img', 'picture', 'video', 'audio', 'style', 'form', 'input', 'iframe', 'svg'],
    FORBID_ATTR: ['style', 'class', 'id', 'name'],
    ALLOWED_URI_REGEXP: /^https?:|^mailto:/i,
  })
}
