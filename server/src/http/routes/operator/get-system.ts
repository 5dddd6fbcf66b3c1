import { systemExamples } from '../../../wire/operator/examples.ts'
import { System } from '../../../wire/operator/responses.ts'
import { defineRoute } from '../../route.ts'

export const getSystem = defineRoute({
  operationId: 'getSystem',
  method: 'GET',
  path: '/v1/system',
  family: 'operator',
  summary: 'See the whole service',
  description:
    'Version, store, every process on it, the queue, the settings with where each came from, and whether the machine is fit. It starts no browser.',
  response: { status: 200, description: 'The service as it is now.', body: System },
  examples: systemExamples,
  handle: (_request, { describeSystem }) => describeSystem(),
})
