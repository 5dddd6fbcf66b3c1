/** Switches colours off for this process, as the variable does that users set for all programs. */
export function withoutColours(): void {
  // Node's own functions for colours read them there.
  const { env } = process
  delete env['FORCE_COLOR']
  env['NO_COLOR'] = '1'
}
