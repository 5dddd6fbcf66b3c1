import { z } from 'zod'
import { taskLanes } from '../domain/task/lane.ts'
import { taskStatuses } from '../domain/task/task.ts'
import { extractionErrorCodes } from './extract/extraction-error.ts'

// Many bodies have these. With a name, the API description and the SDK's types write each once.
export const TaskStatus = z.enum(taskStatuses).meta({ id: 'TaskStatus' })
export const Engine = z.enum(taskLanes).meta({ id: 'Engine' })
export const ExtractionErrorCode = z.enum(extractionErrorCodes).meta({ id: 'ExtractionErrorCode' })
