/** What commands tell people on stderr, beside the data on stdout. Errors are always printed. */
const volume = { isQuiet: false, isVerbose: false, isInteractive: true }

/** `--quiet`, `--verbose`, `--no-input` and `--no-color`, which every command has. */
export interface MessageFlags {
  quiet?: boolean
  verbose?: boolean
  input?: boolean
  color?: boolean
}

export function setMessages(flags: MessageFlags): void {
  volume.isQuiet = flags.quiet === true
  volume.isVerbose = flags.verbose === true
  volume.isInteractive = flags.input !== false
  if (flags.color !== false) return
  // Node's own functions for colours read these variables, which users set for all programs.
  const { env } = process
  delete env['FORCE_COLOR']
  env['NO_COLOR'] = '1'
}

/** Says what was done; nothing with `--quiet`. */
export function say(text: string): void {
  if (!volume.isQuiet) console.error(text)
}

/** Says how it was done; only with `--verbose`. */
export function sayDetail(text: string): void {
  if (volume.isVerbose) console.error(text)
}

export const isQuiet = (): boolean => volume.isQuiet

/** Whether a person can be asked something. */
export const mayAsk = (): boolean => volume.isInteractive && process.stdin.isTTY === true
