import type { Database } from '../../src/storage/database.ts'
import { sql } from '../../src/storage/statement.ts'

/** Makes a task and its rows in other tables this many hours older. */
export async function ageTask(db: Database, taskId: string, hours: number): Promise<void> {
  const ms = Math.round(hours * 3_600_000)
  await db.transaction([
    sql<never>`
      update tasks
      set created_at_ms = created_at_ms - ${ms}, started_at_ms = started_at_ms - ${ms},
          completed_at_ms = completed_at_ms - ${ms}
      where id = ${taskId}`,
    sql<never>`
      update results set created_at_ms = created_at_ms - ${ms} where task_id = ${taskId}`,
    sql<never>`
      update deliveries
      set created_at_ms = created_at_ms - ${ms}, ended_at_ms = ended_at_ms - ${ms},
          delivered_at_ms = delivered_at_ms - ${ms}
      where task_id = ${taskId}`,
  ])
}

/** Makes a job with its tasks and their results this many hours older. */
export async function ageJob(db: Database, jobId: string, hours: number): Promise<void> {
  const ms = Math.round(hours * 3_600_000)
  const tasks = await db.run(sql<{ id: string }>`select id from tasks where job_id = ${jobId}`)
  for (const { id } of tasks) await ageTask(db, id, hours)
  await db.transaction([
    sql<never>`
      update jobs
      set created_at_ms = created_at_ms - ${ms}, completed_at_ms = completed_at_ms - ${ms}
      where id = ${jobId}`,
    sql<never>`
      update deliveries
      set created_at_ms = created_at_ms - ${ms}, ended_at_ms = ended_at_ms - ${ms},
          delivered_at_ms = delivered_at_ms - ${ms}
      where job_id = ${jobId}`,
  ])
}
