import { signInMsMax } from '../../domain/account/sign-in.ts'

const name = 'trawl_session'
const tokenForm = /^[\w-]{43}$/

/** The token in a `Cookie` header. Two cookies of this name count as none: one of them is not ours. */
export function readSessionCookie(header: string): string | undefined {
  const tokens = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [token, another] = tokens
  return token !== undefined && another === undefined && tokenForm.test(token) ? token : undefined
}

export const sessionCookie = (token: string, publicUrl: string): string =>
  withAttributes(`${name}=${token}; Max-Age=${signInMsMax / 1000}`, publicUrl)

export const expiredSessionCookie = (publicUrl: string): string =>
  withAttributes(`${name}=; Max-Age=0`, publicUrl)

/** No script can read the cookie, and no request that a foreign page causes has it. */
const withAttributes = (pair: string, publicUrl: string): string =>
  `${pair}; Path=/; HttpOnly; SameSite=Strict${publicUrl.startsWith('https:') ? '; Secure' : ''}`
