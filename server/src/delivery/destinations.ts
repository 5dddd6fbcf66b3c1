import { failuresBeforeOneByOne, perDestinationMax } from '../domain/delivery.ts'

// A destination that is forgotten is merely tried by ten at once again.
const rememberedMax = 10_000

/** How receivers have answered lately, so that one that is down is not run at by ten at once. */
export class Destinations {
  readonly #failuresInARow = new Map<string, number>()

  hasRoom(destination: string, taken: { here: number; elsewhere: number }): boolean {
    const failures = this.#failuresInARow.get(destination) ?? 0
    const slots = failures >= failuresBeforeOneByOne ? 1 : perDestinationMax
    return taken.here + taken.elsewhere < slots
  }

  note(destination: string, isSuccess: boolean): void {
    const failures = this.#failuresInARow.get(destination)
    if (isSuccess) {
      if (failures !== undefined) this.#failuresInARow.delete(destination)
      return
    }
    this.#failuresInARow.delete(destination)
    const [oldest] = this.#failuresInARow.keys()
    if (oldest !== undefined && this.#failuresInARow.size >= rememberedMax) {
      this.#failuresInARow.delete(oldest)
    }
    this.#failuresInARow.set(destination, (failures ?? 0) + 1)
  }

  /** How many are tried by one delivery at a time. */
  countOneByOne(): number {
    let count = 0
    for (const failures of this.#failuresInARow.values()) {
      if (failures >= failuresBeforeOneByOne) count++
    }
    return count
  }
}
