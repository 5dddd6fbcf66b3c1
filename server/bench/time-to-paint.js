/**
 * Runs in the page. Resolves with the milliseconds from the next event of a type to the frame after the one in
 * which the list is as wanted: by then it is painted.
 */
globalThis.timeToPaint = (type, isAsWanted) =>
  new Promise((resolve) => {
    addEventListener(
      type,
      ({ timeStamp }) => {
        const look = () => {
          if (!isAsWanted(rowsInSight())) requestAnimationFrame(look)
          else requestAnimationFrame(() => resolve(performance.now() - timeStamp))
        }
        requestAnimationFrame(look)
      },
      { capture: true, once: true, passive: true },
    )
  })

/** The rows of the list as far as a person sees them, with what is known of each. */
globalThis.rowsInSight = () => {
  const frame = document.querySelector('section[aria-label="Tasks"]')
  if (!frame) return { rows: [], isFilled: false }
  const { bottom } = frame.getBoundingClientRect()
  // The cells of the header stay in sight.
  const top = frame.querySelector('th').getBoundingClientRect().bottom
  const boxes = [...frame.querySelectorAll('tbody tr[aria-rowindex]')].map((row) => ({
    row,
    box: row.getBoundingClientRect(),
  }))
  const seen = boxes.filter(({ box }) => box.bottom > top + 1 && box.top < bottom - 1)
  const rows = seen.map(({ row }) => ({
    number: Number(row.getAttribute('aria-rowindex')),
    isRead: row.querySelector('input[type="checkbox"]') !== null,
    text: row.innerText,
  }))
  const first = seen[0]?.box
  const last = seen.at(-1)?.box
  const isFilled = rows.every(({ isRead }) => isRead) && first?.top <= top + 1
  return { rows, isFilled: isFilled && (last?.bottom >= bottom - 20 || rows.length < 5) }
}
