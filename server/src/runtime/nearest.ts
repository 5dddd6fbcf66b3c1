/**
 * The known word closest to a mistyped one ("did you mean"), or undefined if none is close. A word much longer
 * than the known ones is compared with none of them, so that the work is bounded.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let distanceMax = Math.max(2, Math.floor(word.length / 3))
  let best: string | undefined
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) > distanceMax) continue
    const distance = editDistance(word, candidate, distanceMax)
    if (distance > distanceMax) continue
    best = candidate
    distanceMax = distance - 1
  }
  return best
}

/** The Levenshtein distance; it stops early beyond the limit. */
function editDistance(from: string, to: string, limit: number): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    let least = row
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
      const dropped = (previous[column] ?? 0) + 1
      const inserted = (current[column - 1] ?? 0) + 1
      const cell = Math.min(replaced, dropped, inserted)
      current.push(cell)
      least = Math.min(least, cell)
    }
    if (least > limit) return least
    previous = current
  }
  return previous[to.length] ?? 0
}
