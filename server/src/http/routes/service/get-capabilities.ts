import { Capabilities } from '../../../domain/capabilities.ts'
import { defineRoute } from '../../route.ts'

export const getCapabilities = defineRoute({
  operationId: 'getCapabilities',
  method: 'GET',
  path: '/capabilities',
  family: 'service',
  summary: 'What can this service do right now?',
  answer: { status: 200, description: 'Engines, roles, store and limits.', body: Capabilities },
  handle: (_request, { capabilities }) => capabilities(),
})
