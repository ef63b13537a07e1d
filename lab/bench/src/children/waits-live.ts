import { connect, type Treatment, type WaitingClient } from '../waits/clients.ts'
import { machineClock } from '../waits/server.ts'
import { jobId } from '../waits/service.ts'

/** Runs that start together, in real time, over real sockets. */
export interface LiveJob {
  client: WaitingClient
  origin: string
  treatment: Treatment
  firstIndex: number
  count: number
  /** True: each run has a client of its own. */
  isClientNew: boolean
}

/** When the promise of each run resolved, by `machineClock`. */
export type LiveResult = number[]

const job = JSON.parse(process.argv[2] ?? '') as LiveJob
const newClient = () => connect(job.client, { origin: job.origin, treatment: job.treatment })
const sharedClient = await newClient()
const runs = Array.from({ length: job.count }, async (_, offset) => {
  const client = job.isClientNew ? await newClient() : sharedClient
  await client.run(jobId(job.firstIndex + offset))
  return machineClock.now()
})
const result: LiveResult = await Promise.all(runs)
console.log(JSON.stringify(result))
process.exit()
