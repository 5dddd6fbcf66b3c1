export interface ApiResponse {
  statusCode: number
  headers: Record<string, string>
  text: string
  json(): ReturnType<typeof JSON.parse>
}

/** Sends one request as a client does: `callApi(url, 'POST /v1/webhooks', { headers, body })`. */
export async function callApi(
  url: string,
  request: string,
  { headers = {}, body }: { headers?: Record<string, string> | undefined; body?: unknown } = {},
): Promise<ApiResponse> {
  const [method = '', path = ''] = request.split(' ')
  const response = await fetch(url + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    // A string is sent as it is, so that a test can send broken JSON.
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    json: () => JSON.parse(text),
  }
}

export const basicOf = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
