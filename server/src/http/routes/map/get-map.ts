import { MapJob } from '../../../domain/job/map-object.ts'
import { mapHead } from '../../../jobs/map-json.ts'
import { spliceJson } from '../../../runtime/splice-json.ts'
import { mapExamples } from '../../job-examples.ts'
import { defineRoute } from '../../route.ts'
import { assemble, JobPath } from '../../task-bodies.ts'

export const getMap = defineRoute({
  operationId: 'getMap',
  method: 'GET',
  path: '/v1/map/:job_id',
  family: 'map',
  summary: 'Get a map by its id',
  params: JobPath,
  response: { status: 200, description: 'The map.', body: MapJob },
  failures: ['NOT_FOUND'],
  examples: mapExamples.get,

  async handle({ account, params, disconnected }, { maps }) {
    const { job, task } = await maps.get(account.id, params.job_id)
    const links = await maps.readLinks(task, disconnected)
    return assemble(spliceJson(mapHead(job, task), 'links', [links?.json ?? noLinks]))
  },
})

const noLinks = Buffer.from('[]')
