/** A result of an account, as far as its size matters. */
export interface StoredSize {
  taskId: string
  bytes: number
  /** A delivery still has to read it. */
  isHeld: boolean
}

export interface Evictions {
  taskIds: string[]
  /** What the account keeps after them; more than it may where too much of it is held. */
  remainingBytes: number
}

/** Which results of an account go, oldest first, so that it keeps no more than it may. */
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
