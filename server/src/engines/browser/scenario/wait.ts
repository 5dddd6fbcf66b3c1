import { type Perform, rest } from './step.ts'

export const wait: Perform<'wait'> = async ({ page }, { value }) => {
  await rest(page, value)
  return {}
}
