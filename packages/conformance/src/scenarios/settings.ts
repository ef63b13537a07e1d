import type { Scenario } from '../check.ts'
import { BlockedError } from '../finding.ts'
import { worldOf } from '../judges/world.ts'
import { cancelJob, jobIdIn, readJob } from '../session/actions.ts'
import type { Session } from '../session/session.ts'
import { UNKNOWN_ID } from './reads.ts'
import { FIRST } from './runs.ts'

// What the specification leaves open and a client notices (sections 3 and 7).

export const unknownJob: Scenario = {
  name: 'an unknown job',
  after: [FIRST.async],
  perform: (session) => readJob(session, unknownIdIn(session), { isOpen: true }),
}

/** The cancel of a job that has succeeded, and what is read then. */
export const cancelOfFinishedJob: Scenario = {
  name: 'the cancel of a finished job',
  writes: true,
  after: [FIRST.async],
  perform: async (session) => {
    const job = worldOf(session).jobs.find(({ outcome }) => outcome === 'succeeded')
    if (job === undefined) throw new BlockedError('no job has succeeded')
    await cancelJob(session, job.jobId)
    await readJob(session, job.jobId)
  },
}

/** An id that no job has: in the form of the service, as soon as that has shown one. */
function unknownIdIn({ recorded }: Session): string {
  const jobId = recorded.map(({ response }) => jobIdIn(response)).find((id) => id !== undefined)
  const other = jobId?.replace(/[\da-f](?=.{0,5}$)/gi, (one) => (15 - Number.parseInt(one, 16)).toString(16))
  return other === undefined || other === jobId ? UNKNOWN_ID : other
}
