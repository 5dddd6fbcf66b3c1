export interface ApiAnswer {
  statusCode: number
  headers: Record<string, string>
  text: string
  json(): ReturnType<typeof JSON.parse>
}

/** One request as a client sends it: `callApi(url, 'POST /v1/webhooks', { headers, body })`. */
export async function callApi(
  url: string,
  request: string,
  { headers = {}, body }: { headers?: Record<string, string> | undefined; body?: unknown } = {},
): Promise<ApiAnswer> {
  const [method = '', path = ''] = request.split(' ')
  const answer = await fetch(url + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    // A text is sent as it is, so that it can be broken JSON.
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return {
    statusCode: answer.status,
    headers: Object.fromEntries(answer.headers),
    text,
    json: () => JSON.parse(text),
  }
}

export const basicOf = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
