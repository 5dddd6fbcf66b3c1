import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Account } from '../../domain/account/account.ts'

export interface McpRequest {
  account: Account
  message: Record<string, unknown>
  headers: IncomingHttpHeaders
  /** Aborted when the client disconnects before the response was sent. */
  disconnected: AbortSignal
  correlationId: string
}

export interface McpResponse {
  status: number
  headers: Record<string, string>
  /** JSON, or a stream of events whose last one is the response; nothing for a notification. */
  body: Readable | undefined
}
