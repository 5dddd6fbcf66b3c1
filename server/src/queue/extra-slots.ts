const extraShare = 1 / 4

interface LaneUse {
  slotsMax: number
  /** Slots in use, extra ones included. */
  usedCount: number
  heldByAccount: ReadonlyMap<string, number>
}

/**
 * Whether a full lane may start one more entry, for an account that holds no slot. Running work is never
 * interrupted, so without extra slots an account whose targets dribble would keep all others waiting.
 * Where every account holds a single slot, nobody has too much.
 */
export function mayOpenExtraSlot({ slotsMax, usedCount, heldByAccount }: LaneUse): boolean {
  if (usedCount >= slotsMax + Math.ceil(slotsMax * extraShare)) return false
  const isShared = heldByAccount.size > 1 && [...heldByAccount.values()].every((held) => held === 1)
  return !isShared
}
