import { type PlaygroundRequest, playgroundOperations } from '../playground-request.ts'

/** How a language writes the values that JSON has. */
export interface LiteralSyntax {
  text: (text: string) => string
  key: (name: string) => string
  words: { true: string; false: string; null: string }
  /** What stands inside the braces of an object on one line. */
  brace: '' | ' '
  indent: string
}

const lineCharactersMax = 60

/** A value as a literal; `margin` is before each line but the first. */
export function codeLiteral(value: unknown, syntax: LiteralSyntax, margin = ''): string {
  if (typeof value === 'string') return syntax.text(value)
  if (typeof value !== 'object' || value === null) {
    return syntax.words[String(value) as keyof typeof syntax.words] ?? JSON.stringify(value)
  }
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const inner = margin + syntax.indent
  const parts = isList
    ? value.map((item) => codeLiteral(item, syntax, inner))
    : Object.entries(value).map(
        ([name, item]) => `${syntax.key(name)}: ${codeLiteral(item, syntax, inner)}`,
      )
  const line = parts.join(', ')
  if (isFlat(value) && line.length <= lineCharactersMax) {
    const space = isList || line === '' ? '' : syntax.brace
    return open + space + line + space + close
  }
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${margin}${close}`
}

const isFlat = (value: object): boolean =>
  Object.values(value).every((item) => typeof item !== 'object' || item === null)

/** What a call is to be sent to. */
export const urlOfRequest = ({ operation }: PlaygroundRequest, serverUrl: string): string =>
  serverUrl.replace(/\/+$/, '') + playgroundOperations[operation].path

/** The body as it travels: without what JSON has not got. */
export const travellingBody = ({ body }: PlaygroundRequest): Record<string, unknown> =>
  JSON.parse(JSON.stringify(body))
