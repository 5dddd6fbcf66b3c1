import { z } from 'zod'
import { Failure } from '../../../domain/failure.ts'
import { defineRoute } from '../../route.ts'
import { TaskPath } from '../../task-bodies.ts'

export const getTaskScreenshot = defineRoute({
  operationId: 'getTaskScreenshot',
  method: 'GET',
  path: '/api/scraper/scrape/callback/:request_id/screenshot',
  family: 'scraper',
  summary: 'Get the screenshot of a task',
  params: TaskPath,
  answer: {
    status: 200,
    description: 'The image.',
    body: z.string(),
    contentType: 'image/*',
  },
  failures: ['NOT_FOUND'],

  async handle({ account, params }, { tasks }) {
    await tasks.get(account.id, params.request_id)
    // Screenshots come with the browser engine; no task has one before that.
    throw new Failure('NOT_FOUND', 'This task has no screenshot.')
  },
})
