/** The known word closest to a mistyped one, or undefined when none is close enough to be meant. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const distanceMax = Math.max(2, Math.floor(word.length / 3))
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(word, candidate)
    if (distance <= distanceMax && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { candidate, distance }
    }
  }
  return best?.candidate
}

/** Letters to insert, drop or replace to get from one word to the other. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
      const dropped = (previous[column] ?? 0) + 1
      const inserted = (current[column - 1] ?? 0) + 1
      current.push(Math.min(replaced, dropped, inserted))
    }
    previous = current
  }
  return previous[to.length] ?? 0
}
