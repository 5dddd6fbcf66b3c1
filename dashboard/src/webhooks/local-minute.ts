/** A time as inputs for local dates want it, `2026-03-01T09:30`, in the zone of the reader. */
export function localMinute(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000
  return new Date(atMs - offsetMs).toISOString().slice(0, 16)
}
