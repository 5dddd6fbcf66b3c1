import { Argument, InvalidArgumentError } from 'commander'
import { isJobId } from '../client/job-client.ts'

/** Ids become parts of paths, so nothing else may pass as one. */
export function readId(text: string): string {
  if (isJobId(text)) return text.toLowerCase()
  throw new InvalidArgumentError('It must be an id, as the commands and the API print it.')
}

export const idArgument = (name: string, about: string): Argument =>
  new Argument(`<${name}>`, about).argParser(readId)
