import { z } from 'zod'

/** JavaScript finds a part of up to 250 characters in linear time; one of 4 000 took 12 ms for each URL. */
const urlPartCharactersMax = 200

/** A part of a URL to search by. */
export const UrlPart = z.string().max(urlPartCharactersMax)

/** Lower case. `toLowerCase` alone would make two characters of each `İ`, and so longer parts. */
export const foldCase = (text: string): string => text.replaceAll('İ', 'i').toLowerCase()
