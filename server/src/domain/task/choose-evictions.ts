/** The size of a stored result. */
export interface StoredSize {
  taskId: string
  bytes: number
  /** A pending delivery still has to read it. */
  isHeld: boolean
}

export interface Evictions {
  taskIds: string[]
  /** What the account keeps afterwards; more than its limit if held results exceed that. */
  remainingBytes: number
}

/** Chooses the results to delete, oldest first, so that the account stays within its limit. */
export function chooseEvictions(
  oldestFirst: readonly StoredSize[],
  { totalBytes, bytesMax }: { totalBytes: number; bytesMax: number },
): Evictions {
  const taskIds: string[] = []
  let remainingBytes = totalBytes
  for (const { taskId, bytes, isHeld } of oldestFirst) {
    if (remainingBytes <= bytesMax) break
    if (isHeld) continue
    taskIds.push(taskId)
    remainingBytes -= bytes
  }
  return { taskIds, remainingBytes }
}
