import { contentOrigins } from './content-origins.ts'
import type { HostileOrigin } from './hostile-case.ts'
import { nameOrigins } from './name-origins.ts'
import { slowOrigins } from './slow-origins.ts'
import { trustOrigins } from './trust-origins.ts'
import { wireOrigins } from './wire-origins.ts'

/** Every hostile target of the HTTP engine with its expected outcome. */
export const hostileOrigins: readonly HostileOrigin[] = [
  ...wireOrigins,
  ...slowOrigins,
  ...trustOrigins,
  ...contentOrigins,
  ...nameOrigins,
]
