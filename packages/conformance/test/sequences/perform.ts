import { sleepInSteps } from '../../src/clock.ts'
import { at, isRecord, itemsOf } from '../../src/json.ts'
import type { Peer } from './peer.ts'
import type { Step, StepKey } from './steps.ts'

/** Result of a step without ids, times and texts, which differ between services. */
export interface Outcome {
  kind: string
  shown: unknown
}

/** A job, and the key that it was made with. */
interface MadeJob {
  id: string
  key: StepKey | undefined
}

/** Long enough for every job to end, and for every delivery to come. */
const TO_THE_END_MS = 200_000

/** Sends a sequence to a service, waits until all jobs and deliveries are finished, and returns the outcomes. */
export async function perform(peer: Peer, steps: readonly Step[]): Promise<Outcome[]> {
  const before = peer.credits()
  const jobs: MadeJob[] = []
  const outcomes: Outcome[] = []
  for (const step of steps) {
    const outcome = await performStep(peer, step, jobs)
    if (outcome !== undefined) outcomes.push({ kind: step.kind, shown: outcome })
  }
  await sleepInSteps(peer.clock, TO_THE_END_MS)
  for (const job of jobs) outcomes.push({ kind: 'end of a job', shown: await send(peer, read(job), jobs) })
  const delivered = jobs.map(({ id }) => peer.deliveries.filter(({ job_id }) => job_id === id).map(deliveryShown))
  outcomes.push({ kind: 'deliveries', shown: delivered })
  outcomes.push({ kind: 'charges', shown: before - peer.credits() })
  return outcomes
}

async function performStep(peer: Peer, step: Step, jobs: MadeJob[]): Promise<unknown> {
  if ('sleepMs' in step) return void (await sleepInSteps(peer.clock, step.sleepMs))
  if ('method' in step) return send(peer, step, jobs)
  const last = jobs.at(-1)
  if (last === undefined) return undefined
  return send(peer, step.job === 'read' ? read(last) : { ...read(last), method: 'DELETE' }, [...jobs])
}

type RequestStep = Extract<Step, { method: string }>

function read({ id, key }: MadeJob): RequestStep {
  const path = `/v1/jobs/${encodeURIComponent(id)}`
  return { kind: 'read', method: 'GET', path, ...(key === undefined ? {} : { key }) }
}

/** @param jobs gets the job of a run */
async function send(peer: Peer, step: RequestStep, jobs: MadeJob[]): Promise<unknown> {
  const body = step.text ?? (step.body === undefined ? undefined : JSON.stringify(step.body))
  const response = await peer.fetch(`${peer.baseUrl}${step.path}`, {
    method: step.method,
    headers: {
      ...(step.key === 'none' ? {} : { authorization: `Bearer ${peer.keys[step.key ?? 'all']}` }),
      ...(body === undefined ? {} : { 'content-type': step.contentType ?? 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  const json: unknown = text === '' ? undefined : JSON.parse(text)
  const jobId = at(json, '/job_id')
  if (step.method === 'POST' && typeof jobId === 'string') jobs.push({ id: jobId, key: step.key })
  return { status: response.status, hasRequestId: response.headers.has('x-request-id'), ...bodyShown(json) }
}

function bodyShown(json: unknown) {
  return {
    members: namesIn(json),
    data: namesIn(at(json, '/data')),
    error: [at(json, '/error'), at(json, '/data/error')].map(namesIn),
    code: at(json, '/error/code') ?? at(json, '/data/error/code'),
    state: at(json, '/status') ?? at(json, '/data/status'),
    list: [at(json, '/total'), at(json, '/limit'), at(json, '/offset'), itemsOf(at(json, '/models')).length],
    credits: at(json, '/credits_used'),
  }
}

function deliveryShown(body: Record<string, unknown>) {
  const [error, code] = [namesIn(body.error), at(body, '/error/code')]
  return { members: namesIn(body), state: body.status, credits: body.credits_used, error, code }
}

function namesIn(value: unknown): string[] {
  return isRecord(value) ? Object.keys(value).toSorted() : []
}
