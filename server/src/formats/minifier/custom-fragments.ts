import { randomBytes } from 'node:crypto'
import type { LinearPattern, Match } from '../../domain/linear-pattern.ts'

/**
 * Puts a mark in the place of each fragment that the minifier must not change. The minifier could find
 * them only by expressions of JavaScript, which backtrack.
 */
export function hideFragments(html: string, patterns: readonly LinearPattern[]) {
  // Random, so that no page can contain a mark.
  const id = randomBytes(12).toString('hex')
  const fragments: string[] = []
  let hidden = ''
  let copied = 0
  for (const { start, end } of matchesIn(html, patterns)) {
    hidden += `${html.slice(copied, start)}<%${id}:${fragments.length}%>`
    fragments.push(html.slice(start, end))
    copied = end
  }
  return {
    html: hidden + html.slice(copied),
    /** Matches the marks that stand for fragments. The minifier finds this form without backtracking. */
    marks: new RegExp(`<%${id}:[\\s\\S]*?%>`),
    /** Puts the fragments back into what the minifier made of the page. */
    restore: (minified: string) =>
      minified.replace(new RegExp(`<%${id}:(\\d+)%>`, 'g'), (_, at) => fragments[Number(at)] ?? ''),
  }
}

/** In order, without overlaps; where two begin at one place, the pattern that is listed first wins. */
function* matchesIn(text: string, patterns: readonly LinearPattern[]): Generator<Match> {
  let searches = patterns.map((pattern) => ({
    find: pattern.finderIn(text),
    next: undefined as Match | undefined,
  }))
  for (let from = 0; ; ) {
    for (const search of searches) {
      if (!search.next || search.next.start < from) search.next = findText(search.find, from)
    }
    // A pattern that matches nothing further on is not asked again.
    searches = searches.filter(({ next }) => next !== undefined)
    const [first] = searches.toSorted((a, b) => startOf(a) - startOf(b))
    if (!first?.next) return
    yield first.next
    from = first.next.end
  }
}

const startOf = ({ next }: { next: Match | undefined }): number => next?.start ?? 0

/** The next match that is not empty. */
function findText(find: (from: number) => Match | undefined, from: number): Match | undefined {
  let match = find(from)
  while (match && match.start === match.end) match = find(match.end + 1)
  return match
}
