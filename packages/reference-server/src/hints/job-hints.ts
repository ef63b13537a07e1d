import { decoded, type HintContext, pathOf } from './hint-scene.ts'

/** Why a job was not found. */
export function jobHints(context: HintContext): string[] {
  const { service, status, trace } = context
  if (status !== 404 || (trace.route !== 'getJob' && trace.route !== 'cancelJob')) return []
  const id = decoded(pathOf(context).split('/').at(-1) ?? '')
  if (trace.isForeignJob) return ['It is a job of another account: was it created with another key?']
  if (id.startsWith('req_')) return ['That is a request_id. The path takes the job_id.']
  if (!id.startsWith('job_')) return ['A job_id begins with job_.']
  const { evicted } = service.jobs
  const limit = service.options.retention.finishedJobs
  return evicted === 0
    ? []
    : [`The newest ${limit} finished jobs are kept (option retention); ${evicted} older ones are gone.`]
}
