/** Who is named in a URL, as he writes himself. */
export interface UrlUser {
  readonly username: string
  readonly password: string
}

export const userOf = ({ username, password }: URL): UrlUser | undefined =>
  username === '' && password === ''
    ? undefined
    : { username: decode(username), password: decode(password) }

/** A lone per cent sign stands for itself in a URL's user or password. */
const decode = (text: string): string =>
  Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')
