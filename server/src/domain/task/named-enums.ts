import { z } from 'zod'
import { extractionErrorCodes } from './extraction-error.ts'
import { taskLanes } from './lane.ts'
import { taskStatuses } from './task.ts'

// Many bodies have these. With a name, the API description and the SDK's types write each once.
export const TaskStatus = z.enum(taskStatuses).meta({ id: 'TaskStatus' })
export const Engine = z.enum(taskLanes).meta({ id: 'Engine' })
export const ExtractionErrorCode = z.enum(extractionErrorCodes).meta({ id: 'ExtractionErrorCode' })
