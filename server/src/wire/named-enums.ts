import { z } from 'zod'
import { deliveryStates } from '../domain/delivery/delivery.ts'
import { eventTypes } from '../domain/delivery/webhook.ts'
import { taskLanes } from '../domain/task/lane.ts'
import { taskStatuses } from '../domain/task/task.ts'
import { extractionErrorCodes } from './extract/extraction-error.ts'

// Many bodies have these. With a name, the API description and the SDK's types write each once.
export const TaskStatus = z.enum(taskStatuses).meta({ id: 'TaskStatus' })
export const Engine = z.enum(taskLanes).meta({ id: 'Engine' })
export const ExtractionErrorCode = z.enum(extractionErrorCodes).meta({ id: 'ExtractionErrorCode' })
export const EventType = z.enum(eventTypes).meta({ id: 'EventType' })
export const DeliveryStatus = z.enum(deliveryStates).meta({ id: 'DeliveryStatus' })
