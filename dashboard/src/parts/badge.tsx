import type { ReactNode } from 'react'

export type Tone = 'plain' | 'good' | 'warn' | 'bad'

/** A state in a word; the tone only repeats what the word says. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  )
}
