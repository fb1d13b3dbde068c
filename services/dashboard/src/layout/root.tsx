import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSession } from '../api/session.ts'
import { t } from '../text/translate.ts'
import { Header } from './header.tsx'
import { SessionEnded } from './session-ended.tsx'

/** Around every page: the bar at the top, the footer, and the sign-in over an ended session. */
export function Root() {
  const { branding } = useSession()
  useEffect(() => {
    if (branding.color === null) return
    // Mixed towards the text, so that the operator's colour is readable in light and in dark.
    const shade = `color-mix(in oklab, ${branding.color} 75%, light-dark(black, white))`
    document.documentElement.style.setProperty('--brand', shade)
    document.documentElement.style.setProperty('--on-brand', 'light-dark(white, black)')
  }, [branding.color])
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only bg-paper p-3 focus:not-sr-only focus:absolute focus:z-10"
      >
        {t('skip')}
      </a>
      <Header />
      <main id="content" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
        <Outlet />
      </main>
      <Footer />
      <SessionEnded />
    </div>
  )
}

function Footer() {
  const { branding, version } = useSession()
  return (
    <footer className="flex flex-wrap gap-x-5 gap-y-1 border-t border-line px-4 py-3 text-sm text-soft">
      <a href="/docs">{t('apiReference')}</a>
      <a href="/about">{t('aboutServer')}</a>
      {branding.support !== null && <a href={supportAddress(branding.support)}>{t('support')}</a>}
      {branding.terms_url !== null && <a href={branding.terms_url}>{t('terms')}</a>}
      <span>{t('version', { version })}</span>
    </footer>
  )
}

function supportAddress(support: string): string {
  return support.includes('@') && !support.includes(':') ? `mailto:${support}` : support
}
