/** Names of headers that are credentials, such as `Authorization`, `X-Api-Key` and `X-Auth-Token`. */
const secret = /auth|cookie|credential|csrf|key|pass|secret|session|signature|token|xsrf/i

/** Redacts request headers for display and webhooks: the values of credentials become `***`. */
export const redactHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret.test(name) ? '***' : value]),
  )
