import { type Perform, sleep } from './step.ts'

export const wait: Perform<'wait'> = async ({ page }, { value }) => {
  await sleep(page, value)
  return {}
}
