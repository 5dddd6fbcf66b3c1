import { InvalidArgumentError } from 'commander'

/** Reads the value of a flag. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const isWithin = /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max
  if (!isWithin) throw new InvalidArgumentError(`A whole number from ${min} to ${max} is needed.`)
  return Number(text)
}
