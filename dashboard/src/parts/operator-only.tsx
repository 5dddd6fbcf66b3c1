import type { ReactNode } from 'react'
import { useCurrentSession } from '../session/current-session.ts'

/** What is about the whole service, which only its first account may see. */
export function OperatorOnly({ children }: { children: ReactNode }) {
  const { session } = useCurrentSession()
  if (session?.is_operator) return children
  return <p>This page is about the whole service. Sign in with its first account to see it.</p>
}
