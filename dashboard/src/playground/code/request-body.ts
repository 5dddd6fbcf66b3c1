import { type PlaygroundRequest, playgroundOperations } from '../playground-request.ts'

/** What a call is to be sent to. */
export const urlOfRequest = ({ operation }: PlaygroundRequest, serverUrl: string): string =>
  serverUrl.replace(/\/+$/, '') + playgroundOperations[operation].path

/** The body as it travels: without what JSON has not got. */
export const travellingBody = ({ body }: PlaygroundRequest): Record<string, unknown> =>
  JSON.parse(JSON.stringify(body))
