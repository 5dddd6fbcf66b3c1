import { randomBytes } from 'node:crypto'

const processPart = randomBytes(5).toString('hex')
let counter = randomBytes(3).readUIntBE(0, 3)

/** 24 hexadecimal digits that sort by the time they were made: seconds, process, counter. */
export function objectId(): string {
  counter = (counter + 1) % 0x1000000
  const seconds = Math.floor(Date.now() / 1000)
  return `${hex(seconds, 8)}${processPart}${hex(counter, 6)}`
}

const hex = (value: number, width: number): string => value.toString(16).padStart(width, '0')
