import { z } from 'zod'
import { defineRoute } from '../../route.ts'

export const getLivez = defineRoute({
  operationId: 'getLivez',
  method: 'GET',
  path: '/livez',
  family: 'service',
  isProbe: true,
  summary: 'Is the process alive?',
  description: 'Touches nothing but the event loop; a process that fails it should be restarted.',
  response: {
    status: 200,
    description: 'It is.',
    body: z.object({ status: z.literal('alive') }),
  },
  examples: { alive: { summary: 'It is alive', status: 200, response: { status: 'alive' } } },
  handle: () => ({ status: 'alive' as const }),
})
