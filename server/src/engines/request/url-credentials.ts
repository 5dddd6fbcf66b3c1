/** The user and password of a URL, percent-decoded. */
export interface UrlCredentials {
  readonly username: string
  readonly password: string
}

export const urlCredentials = ({ username, password }: URL): UrlCredentials | undefined =>
  username === '' && password === ''
    ? undefined
    : { username: decode(username), password: decode(password) }

/** `decodeURIComponent` would throw for a lone per cent sign, which stands for itself here. */
const decode = (text: string): string =>
  Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')
