import { randomUUID } from 'node:crypto'

let lastMs = 0
let sequence = 0

/**
 * A UUID of version 7 that sorts after all earlier ones of this process, even within a millisecond:
 * time, a counter, 62 random bits (RFC 9562, 6.2). Node's own are unordered within a millisecond.
 */
export function sortableId(): string {
  const nowMs = Date.now()
  const isLater = nowMs > lastMs
  sequence = isLater ? 0 : (sequence + 1) % 0x1000
  if (isLater) lastMs = nowMs
  else if (sequence === 0) lastMs++
  const time = lastMs.toString(16).padStart(12, '0')
  const counter = sequence.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${randomUUID().slice(19)}`
}

/** Sorts before every id that was made at that time or later. */
export const sortableIdAt = (ms: number): string => {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

/** When an id was made. */
export const timeOfSortableId = (id: string): number =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
