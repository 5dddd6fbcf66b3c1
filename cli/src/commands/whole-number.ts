import { InvalidArgumentError } from 'commander'

/** Parses the value of a flag. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const isWithin = /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max
  if (!isWithin) throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  return Number(text)
}
