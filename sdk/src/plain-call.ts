import { type CallOptions, type OperationName, readWhole, type Transport } from './transport.ts'

/** A call by its method and path, such as `/v1/tasks`, rather than by its name. */
export interface PlainCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** Values that are not defined are left out. */
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  headers?: Record<string, string> | undefined
  /** Sent as JSON. */
  body?: unknown
  /** The body of the response is left to be read as it arrives; `timeout` ends with its headers. */
  isStream?: boolean | undefined
}

export function sendPlainCall(
  transport: Transport,
  { method, path, isStream, ...input }: PlainCall,
  options: CallOptions | undefined,
): Promise<Response> {
  // The types are for names of operations; the transport itself takes any.
  const name = `${method} ${path}` as OperationName
  return transport.send(name, { ...input, options } as never, (response, stopTimer) => {
    if (!isStream) return readWhole(response)
    stopTimer()
    return response
  })
}
