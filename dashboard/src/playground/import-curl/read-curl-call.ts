import { type CurlMeaning, findCurlOption, findLetterOption } from './curl-options.ts'
import { type ShellCommand, shownPart, UnreadableCommand } from './split-shell-words.ts'

/** The request that a curl command makes. */
export interface CurlCall {
  urls: string[]
  isGlobOff: boolean
  /** As given by `--request`, else none. */
  method?: string
  isHead: boolean
  headers: [name: string, value: string][]
  /** `name=value` pairs of `--cookie`. */
  cookies: string[]
  data?: string
  /** Some of it is in files, which are not here. */
  isDataMissing: boolean
  /** Parts of a query. */
  query: string[]
  timeoutMs?: number
  /** What could not be taken, in words. */
  leftOut: string[]
}

/** Reads the words of a curl command; what it does not know is an `UnreadableCommand`. */
export function readCurlCall({ words, stdin, leftOut }: ShellCommand): CurlCall {
  const [program = '', ...rest] = words[0] === '$' ? words.slice(1) : words
  if (!/(?:^|[\\/])curl(?:\.exe)?$/.test(program)) {
    const begin = program === '' ? 'It is empty.' : `It begins with ${shownPart(program)}.`
    throw new UnreadableCommand(`This is not a curl command. ${begin}`)
  }
  const reader = new CurlReader(stdin, leftOut)
  reader.read(rest)
  return reader.finish()
}

class CurlReader {
  readonly call: CurlCall
  readonly #stdin: string | undefined
  readonly #data: string[] = []
  #isDataInQuery = false
  #isJson = false

  constructor(stdin: string | undefined, leftOut: readonly string[]) {
    this.#stdin = stdin
    this.call = {
      urls: [],
      isGlobOff: false,
      isHead: false,
      isDataMissing: false,
      headers: [],
      cookies: [],
      query: [],
      leftOut: [...leftOut],
    }
  }

  read(words: readonly string[]): void {
    const waiting = [...words].reverse()
    let hasOptions = true
    for (let word = waiting.pop(); word !== undefined; word = waiting.pop()) {
      if (hasOptions && word === '--') hasOptions = false
      else if (hasOptions && word === '-:') this.#leaveCalls(waiting)
      else if (hasOptions && word.startsWith('--')) this.#readLong(word.slice(2), waiting)
      else if (hasOptions && /^-./.test(word)) this.#readLetters(word.slice(1), waiting)
      else this.call.urls.push(word)
    }
  }

  finish(): CurlCall {
    const { call } = this
    if (call.urls.length === 0) throw new UnreadableCommand('The command has no URL.')
    const isPosted = this.#data.length > 0 || call.isDataMissing
    if (isPosted && !this.#isDataInQuery) call.method ??= 'POST'
    if (this.#data.length === 0) return call
    // `--json` adds to what is there, other data are fields of a form.
    const data = this.#data.join(this.#isJson ? '' : '&')
    if (this.#isDataInQuery) call.query.push(data)
    else {
      call.data = data
      const json = 'application/json'
      this.#addByDefault('content-type', this.#isJson ? json : 'application/x-www-form-urlencoded')
      if (this.#isJson) this.#addByDefault('accept', json)
    }
    return call
  }

  #readLong(text: string, waiting: string[]): void {
    const [, name = '', joined] = /^([^=]+)(?:=([\s\S]*))?$/.exec(text) ?? []
    const option = findCurlOption(name)
    if (!option) throw new UnreadableCommand(`The option --${shownPart(name)} is not known.`)
    if (option.meaning === 'nextCall') this.#leaveCalls(waiting)
    else this.#apply(option, option.hasValue ? (joined ?? waiting.pop()) : '')
  }

  /** Letters may stand together; the rest of the word, or the next one, is the value of the last. */
  #readLetters(letters: string, waiting: string[]): void {
    for (let at = 0; at < letters.length; at++) {
      const option = findLetterOption(letters[at] ?? '')
      if (!option) throw new UnreadableCommand(`The option -${letters[at]} is not known.`)
      if (!option.hasValue) {
        this.#apply(option, '')
        continue
      }
      this.#apply(option, letters.slice(at + 1) || waiting.pop())
      return
    }
  }

  #leaveCalls(waiting: string[]): void {
    waiting.length = 0
    this.call.leftOut.push('the further calls after --next')
  }

  #apply({ name, meaning }: { name: string; meaning: CurlMeaning }, value?: string): void {
    if (value === undefined) throw new UnreadableCommand(`The option --${name} has no value.`)
    const { call } = this
    const set = (fields: Partial<CurlCall>) => Object.assign(call, fields)
    const actions: Record<CurlMeaning, () => void> = {
      url: () => call.urls.push(value),
      method: () => set({ method: value }),
      header: () => this.#readHeader(value),
      cookie: () => {
        if (value.includes('=')) call.cookies.push(value)
        else call.leftOut.push(`the cookies of the file ${shownPart(value)}`)
      },
      user: () => call.headers.push(['authorization', `Basic ${base64(value)}`]),
      bearer: () => call.headers.push(['authorization', `Bearer ${value}`]),
      userAgent: () => call.headers.push(['user-agent', value]),
      referer: () => call.headers.push(['referer', value.replace(/;auto$/, '')]),
      range: () => call.headers.push(['range', `bytes=${value}`]),
      data: () => this.#readData(value, /[\r\n\0]/g),
      rawData: () => this.#data.push(value),
      binaryData: () => this.#readData(value),
      encodedData: () => this.#readEncoded(value, this.#data),
      jsonData: () => {
        this.#isJson = true
        this.#readData(value)
      },
      queryData: () => {
        if (value.startsWith('+')) call.query.push(value.slice(1))
        else this.#readEncoded(value, call.query)
      },
      formData: () => this.#leaveData('the option --form: multipart bodies'),
      getData: () => {
        this.#isDataInQuery = true
      },
      head: () => set({ isHead: true }),
      maxTime: () => this.#readTime(value),
      globOff: () => set({ isGlobOff: true }),
      nextCall: () => undefined,
      none: () => undefined,
      leftOut: () => call.leftOut.push(`the option --${name}`),
    }
    actions[meaning]()
  }

  /** `Name: value`; `Name;` has no value, and `Name:` takes away what curl would send by itself. */
  #readHeader(text: string): void {
    const [, name = '', colon, rest = ''] = /^([^:;\s]+)\s*([:;])([\s\S]*)$/.exec(text) ?? []
    const value = rest.trim()
    if (name === '') this.call.leftOut.push(`the header ${shownPart(text)}`)
    else if (value !== '' || colon === ';') this.call.headers.push([name.toLowerCase(), value])
  }

  /** `@-` is what the command is given on stdin; other files are on the machine of who wrote it. */
  #readData(value: string, dropped?: RegExp): void {
    if (!value.startsWith('@')) this.#data.push(value)
    else if (value === '@-' && this.#stdin !== undefined) {
      this.#data.push(dropped ? this.#stdin.replace(dropped, '') : this.#stdin)
    } else this.#leaveData(`the data of the file ${shownPart(value.slice(1))}`)
  }

  #readEncoded(value: string, parts: string[]): void {
    const [, name = '', mark, content = ''] = /^([^=@]*)([=@])([\s\S]*)$/.exec(value) ?? []
    if (mark === '@') this.#leaveData(`the data of the file ${shownPart(content)}`)
    else if (mark === undefined) parts.push(encodeURIComponent(value.toWellFormed()))
    else {
      const encoded = encodeURIComponent(content.toWellFormed())
      parts.push(name === '' ? encoded : `${name}=${encoded}`)
    }
  }

  #leaveData(what: string): void {
    this.call.isDataMissing = true
    this.call.leftOut.push(what)
  }

  #readTime(value: string): void {
    const seconds = Number(value)
    if (Number.isFinite(seconds) && seconds > 0) this.call.timeoutMs = Math.round(seconds * 1_000)
    else this.call.leftOut.push(`the time ${shownPart(value)}`)
  }

  #addByDefault(name: string, value: string): void {
    if (!this.call.headers.some(([given]) => given === name)) this.call.headers.push([name, value])
  }
}

/** Base64 of UTF-8. */
const base64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
