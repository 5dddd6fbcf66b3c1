import { spliceJson } from '../../../runtime/splice-json.ts'
import { mapExamples } from '../../../wire/jobs/examples.ts'
import { MapJob } from '../../../wire/map/responses.ts'
import { mapHead } from '../../../wire/map/to-responses.ts'
import { JobPath } from '../../requests/task-ids.ts'
import { assemble } from '../../responses/tasks.ts'
import { defineRoute } from '../../route.ts'

export const getMap = defineRoute({
  operationId: 'getMap',
  method: 'GET',
  path: '/v1/map/:job_id',
  aliases: ['/v1/map/jobs/:job_id'],
  family: 'map',
  summary: 'Get a map by its id',
  params: JobPath,
  response: { status: 200, description: 'The map.', body: MapJob },
  failures: ['NOT_FOUND'],
  examples: mapExamples.get,

  async handle({ account, params, disconnected }, { maps }) {
    const { job, task } = await maps.get(account.id, params.job_id)
    const links = await maps.readLinks(task, disconnected)
    return assemble(spliceJson(mapHead(job, task), 'links', [links ?? noLinks]))
  },
})

const noLinks = Buffer.from('[]')
