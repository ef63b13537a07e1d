import { type ClientName, createClient } from '../clients.ts'

/** Many calls of one kind. */
export interface CpuJob {
  client: ClientName
  baseUrl: string
  warmupCalls: number
  calls: number
  concurrency: number
}

/** What they cost this process. */
export interface CpuResult {
  /** User and system time, in microseconds. */
  cpuMicros: number
  wallMs: number
  /** User and system time of this process since its start, in milliseconds. */
  lifeCpuMs: number
}

const job = JSON.parse(process.argv[2] ?? '') as CpuJob
const client = await createClient(job.client, { baseUrl: job.baseUrl })

async function call(count: number): Promise<void> {
  let left = count
  const worker = async () => {
    while (left-- > 0) await client.read()
  }
  await Promise.all(Array.from({ length: job.concurrency }, worker))
}

await call(job.warmupCalls)
const startedAt = performance.now()
const cpuBefore = process.cpuUsage()
await call(job.calls)
const { user, system } = process.cpuUsage(cpuBefore)
const wallMs = performance.now() - startedAt
const life = process.cpuUsage()
const result: CpuResult = { cpuMicros: user + system, wallMs, lifeCpuMs: (life.user + life.system) / 1_000 }
console.log(JSON.stringify(result))
process.exit()
