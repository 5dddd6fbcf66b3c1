/** A command that cannot be read; the message says to its writer what was not understood. */
export class UnreadableCommand extends Error {}

/** A part of a command as messages show it. */
export const shownPart = (part: string): string =>
  part.length > shownCharactersMax ? `${part.slice(0, shownCharactersMax)}…` : part

const shownCharactersMax = 60
