import { Argument, InvalidArgumentError } from 'commander'

/** What reads the value of a flag that is a number. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const isWithin = /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max
  if (!isWithin) throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  return Number(text)
}

/** The JSON object of a flag; a message about it shows an example. */
export function readObject(text: string, example: string): Record<string, unknown> {
  try {
    const options: unknown = JSON.parse(text)
    if (typeof options === 'object' && options !== null && !Array.isArray(options)) {
      return options as Record<string, unknown>
    }
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError(`It must be a JSON object, such as ${example}.`)
}

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
