import { Capabilities } from '../../../domain/service/capabilities.ts'
import { defineRoute } from '../../route.ts'

export const getCapabilities = defineRoute({
  operationId: 'getCapabilities',
  method: 'GET',
  path: '/capabilities',
  family: 'service',
  summary: 'What can this service do right now?',
  description: 'Has the browser open a page, at most every 30 s, and waits 5 s for it at most.',
  response: { status: 200, description: 'Engines, roles, store and limits.', body: Capabilities },
  handle: (_request, { capabilities }) => capabilities({ isBrowserTried: true }),
})
