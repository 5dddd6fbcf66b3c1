import { readLines } from '@trawl/sdk'

/** A message of JSON-RPC that asks for something; a response has no method. */
export interface RpcRequest {
  method: string
  /** A notification has none. */
  id?: string | number
  params?: Record<string, unknown>
}

/** Yields the messages on stdin, one a line, until it ends; what is none is reported. */
export async function* readMessages(
  report: (problem: string) => void,
): AsyncGenerator<RpcRequest, void, undefined> {
  for await (const line of readLines(process.stdin)) {
    const message = parseMessage(line)
    if (message) yield message
    else if (line.trim() !== '') report('It is not a message of JSON-RPC.')
  }
}

function parseMessage(line: string): RpcRequest | undefined {
  try {
    const message = JSON.parse(line) as { jsonrpc?: unknown; method?: unknown }
    return message.jsonrpc === '2.0' ? (message as RpcRequest) : undefined
  } catch {
    return undefined
  }
}

/** Writes a message, and resolves when stdout has taken it. */
export const writeMessage = (message: object): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${JSON.stringify(message)}\n`, (error) =>
      error ? reject(error) : resolve(),
    )
  })
