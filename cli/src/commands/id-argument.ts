import { Argument, InvalidArgumentError } from 'commander'

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isId = (text: unknown): text is string =>
  typeof text === 'string' && idPattern.test(text)

/** Ids become parts of paths and commands, so nothing else may pass as one. */
export function readId(text: string): string {
  if (isId(text)) return text.toLowerCase()
  throw new InvalidArgumentError('It must be an id, as the commands and the API print it.')
}

export const idArgument = (name: string, about: string): Argument =>
  new Argument(`<${name}>`, about).argParser(readId)
