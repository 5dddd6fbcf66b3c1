import type { Session } from '@trawl/sdk'
import { Component, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { type LiveState, useLiveState } from '../live/use-live-state.ts'
import { pages } from '../pages.ts'
import { Button, Fault } from '../parts/controls.tsx'
import { EmptyState, Loading } from '../parts/panel.tsx'
import { useIsSigningOut, useSignOut } from '../session/current-session.ts'
import { Shortcuts } from './shortcuts.tsx'
import { chooseTheme, currentTheme, type Theme, themeNames } from './theme.ts'

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
        <Suspense fallback={<Loading />}>
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

function Navigation() {
  const [location] = useLocation()
  return (
    <nav className="navigation" aria-label="Main">
      <ul className="plain-list">
        {pages.map(({ name, path }) => (
          <li key={name}>
            <Link href={path} aria-current={location.startsWith(path) ? 'page' : undefined}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Only trouble is worth a line; it is read out when it comes. */
function ConnectionNotice({ state }: { state: LiveState }) {
  return (
    <div role="status">
      {state === 'lost' && (
        <p className="notice">
          The connection to the service is lost. What you see may be out of date; it is tried again.
        </p>
      )}
    </div>
  )
}

/** A bug in one page leaves the others usable; a file of an older build is there again after a reload. */
class Failed extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <div role="alert" className="empty">
        <h2>This page has failed</h2>
        <p className="fault">{error.message}</p>
        <div>
          <Button onClick={() => window.location.reload()}>Load it again</Button>
        </div>
      </div>
    )
  }
}

function ThemeChoice() {
  const [theme, setTheme] = useState(currentTheme)
  return (
    <label className="field small">
      <span className="hidden-text">Theme</span>
      <select value={theme} onChange={({ target }) => setTheme(chooseTheme(target.value as Theme))}>
        {Object.entries(themeNames).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function SignedIn({ session }: { session: Session }) {
  const signOut = useSignOut()
  return (
    <>
      <span className="soft small">{session.username}</span>
      <Button onClick={() => signOut.mutate()} disabled={signOut.isPending}>
        Sign out
      </Button>
      <Fault error={signOut.error} />
    </>
  )
}
