import { analyse } from 'chardet'

/** The detector compares frequencies of letters, for which the first paragraphs are enough. */
const sampleBytes = 32 * 1024
/** Below this the detector is as often wrong as right. */
const confidenceMin = 20
/** Above this it is nearly always right, whatever the page says about its language. */
const confidenceHigh = 50

/** Guesses the charset of text that declares none and is not UTF-8, by its letters and its language. */
export function guessCharset(bytes: Uint8Array): string {
  const sample = textBytes(bytes.subarray(0, 4 * sampleBytes)).subarray(0, sampleBytes)
  const language = languageOf(bytes.subarray(0, 4_096))
  const byLanguage = charsetOfLanguage(language)
  const best = analyse(sample).find(({ name, confidence }) => {
    return confidence >= confidenceMin && name !== 'UTF-8' && isValidIn(name, sample)
  })
  if (best) {
    // The detector names the language that it saw for charsets of one byte.
    const isSure = best.confidence >= confidenceHigh || language.startsWith(best.lang ?? '?')
    if (isSure || !byLanguage) return new TextDecoder(best.name).encoding
  }
  return byLanguage && isValidIn(byLanguage, sample) ? byLanguage : 'windows-1252'
}

/** Tags would count as English, so they are left out. */
function textBytes(bytes: Uint8Array): Uint8Array {
  const text = new Uint8Array(bytes.length)
  let length = 0
  let isInTag = false
  for (const byte of bytes) {
    if (byte === 0x3c) isInTag = true
    if (!isInTag) text[length++] = byte
    if (byte === 0x3e) {
      isInTag = false
      text[length++] = 0x20
    }
  }
  return text.subarray(0, length)
}

/** The sample may end in the middle of a character, which is no error. */
function isValidIn(charset: string, sample: Uint8Array): boolean {
  try {
    new TextDecoder(charset, { fatal: true }).decode(sample, { stream: true })
    return true
  } catch {
    // A charset that the decoder does not know is a RangeError, bytes that are not valid a TypeError.
    return false
  }
}

/** The defaults of browsers in these languages, as the HTML standard lists them. */
const charsetsByLanguage = {
  'windows-1251': 'be bg kk ky mk mn ru sr tg tt uk',
  'windows-1250': 'cs hr hu pl sk sl',
  'windows-1253': 'el',
  'windows-1254': 'az ku tr',
  'windows-1255': 'he iw',
  'windows-1256': 'ar fa ur',
  'windows-1257': 'et lt lv',
  'windows-1258': 'vi',
  'windows-874': 'th',
  shift_jis: 'ja',
  'euc-kr': 'ko',
  gbk: 'zh',
}

const charsetByLanguage = new Map(
  Object.entries(charsetsByLanguage).flatMap(([charset, languages]) =>
    languages.split(' ').map((language) => [language, charset] as const),
  ),
)

/** The `lang` of the page in lower case; empty where it has none. */
function languageOf(start: Uint8Array): string {
  const text = Buffer.from(start.buffer, start.byteOffset, start.byteLength).toString('latin1')
  const [, tag = ''] = /<html[^>]{0,500}?\slang\s*=\s*["']?([a-z-]{2,20})/i.exec(text) ?? []
  return tag.toLowerCase()
}

function charsetOfLanguage(language: string): string | undefined {
  if (/^zh-(?:tw|hk|mo|hant)/.test(language)) return 'big5'
  return charsetByLanguage.get(language.split('-', 1)[0] ?? '')
}
