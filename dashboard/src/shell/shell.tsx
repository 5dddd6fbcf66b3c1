import type { Session } from '@trawl/sdk'
import { type ReactNode, Suspense, useEffect, useRef } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { useLiveState } from '../live/use-live-state.ts'
import { pages } from '../pages.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { useIsSigningOut } from '../session/current-session.ts'
import { ConnectionNotice } from './connection-notice.tsx'
import { Failed } from './failed.tsx'
import { Navigation } from './navigation.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { SignedIn } from './signed-in.tsx'
import { ThemeChoice } from './theme-choice.tsx'

/** What surrounds every page. */
export function Shell({ session }: { session: Session }) {
  const isSigningOut = useIsSigningOut()
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <div className="shell">
        <header className="shell-side">
          <div className="brand">Trawl</div>
          <Navigation />
          <div className="shell-foot">
            <ThemeChoice />
            <Shortcuts />
            <SignedIn session={session} />
          </div>
        </header>
        <Main>{!isSigningOut && <LivePage />}</Main>
      </div>
    </>
  )
}

function LivePage() {
  const liveState = useLiveState()
  const [location] = useLocation()
  return (
    <>
      <ConnectionNotice state={liveState} />
      <Failed key={location}>
        <Suspense fallback={<p className="soft">Loading…</p>}>
          <CurrentPage />
        </Suspense>
      </Failed>
    </>
  )
}

function CurrentPage() {
  return (
    <Switch>
      <Route path="/">
        <Redirect to="/app/overview" replace />
      </Route>
      {pages.map(({ name, path, Content }) => (
        <Route key={name} path={path}>
          <h1>{name}</h1>
          <Content />
        </Route>
      ))}
      {pages.map(
        ({ path, detail }) =>
          detail && (
            <Route key={path} path={`${path}/:id`}>
              {({ id }) => (
                <>
                  <h1>{detail.name}</h1>
                  <detail.Content key={id} id={id} />
                </>
              )}
            </Route>
          ),
      )}
      <Route>
        <h1>No such page</h1>
        <EmptyState title="Nothing is at this address" command="npx trawl --help" />
      </Route>
    </Switch>
  )
}

/** Another page has another title, begins at its top, and is read out from there. */
function Main({ children }: { children: ReactNode }) {
  const [location] = useLocation()
  const main = useRef<HTMLElement>(null)
  const shown = useRef(location)
  useEffect(() => {
    const name = nameOfPage(location)
    document.title = name ? `${name} · Trawl` : 'Trawl'
    if (shown.current === location) return
    shown.current = location
    // A page may have chosen what one begins with.
    if (!main.current?.contains(document.activeElement))
      main.current?.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [location])
  return (
    <main id="content" className="shell-main" ref={main} tabIndex={-1}>
      {children}
    </main>
  )
}

function nameOfPage(location: string): string | undefined {
  const page = pages.find(({ path }) => location === path || location.startsWith(`${path}/`))
  return location === page?.path ? page.name : page?.detail?.name
}
