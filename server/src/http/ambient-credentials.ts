import type { IncomingMessage } from 'node:http'
import type { Admission, OfferedCredentials } from '../accounts/gate.ts'
import { Failure } from '../domain/failure.ts'
import type { OwnOrigins } from './own-origins.ts'

/**
 * Why a request may not use its ambient credentials, those that it carries whoever caused it to be sent:
 * a browser adds the password it once asked for, and an address needs nothing at all. A page cannot make a
 * browser send a key that it does not know, so keys are never ambient. Undefined where nothing speaks against it.
 */
export function refusalOfAmbient(
  request: IncomingMessage,
  {
    offered,
    admission,
    own,
  }: { offered: OfferedCredentials; admission: Admission; own: OwnOrigins },
): Failure | undefined {
  // A key on a route that takes none counts as absent.
  if (admission.byKey && offered.apiKeys.length > 0) return undefined
  const isByAddress = offered.basic === undefined
  if (isByAddress && !own.knowsHost(request)) return unknownHost()
  return undefined
}

const unknownHost = () =>
  new Failure(
    'FORBIDDEN',
    'Without credentials a request must name a host of this service: its address, localhost, or one in TRAWL_PUBLIC_URL or TRAWL_ALLOWED_HOSTS. Name one of these, or send credentials.',
  )
