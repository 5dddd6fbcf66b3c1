import { Link, useLocation } from 'wouter'
import { pages } from '../pages.ts'

export function Navigation() {
  const [location] = useLocation()
  return (
    <nav className="navigation" aria-label="Main">
      <ul>
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
