import type { Deliver } from '../../packages/conformance/test/reference-service.ts'
import { type Mutation, mutants } from './mutation.ts'

type Body = Record<string, unknown>

const lost = () => Promise.resolve(new Response())
const isFailure = ({ body }: RequestInit) => JSON.parse(String(body)).status === 'failed'

/** Changes the bodies of deliveries. */
function delivers(edit: (body: Body) => unknown): Mutation {
  return onDelivery((deliver, url, init) => {
    const body: Body = JSON.parse(String(init.body))
    return deliver(url, { ...init, body: JSON.stringify(edit(body)) })
  })
}

function onDelivery(tamper: (deliver: Deliver, ...delivery: Parameters<Deliver>) => Promise<Response>): Mutation {
  return { tamper: (deliver) => (url, init) => tamper(deliver, url, init) }
}

async function retryingRejected(deliver: Deliver, ...[url, init]: Parameters<Deliver>): Promise<Response> {
  const first = await deliver(url, init)
  return first.ok ? first : deliver(url, init)
}

async function retryingSilent(deliver: Deliver, ...[url, init]: Parameters<Deliver>): Promise<Response> {
  const { signal, ...again } = init
  signal?.addEventListener('abort', () => void deliver(url, again))
  return deliver(url, init)
}

/** Webhook deliveries. */
export const DELIVERY_MUTANTS = mutants([
  ['webhooks/delivered', 'delivers nothing', onDelivery(lost)],
  ['webhooks/post', 'delivers by PUT', onDelivery((deliver, url, init) => deliver(url, { ...init, method: 'PUT' }))],
  [
    'webhooks/post',
    'delivers a form',
    onDelivery((deliver, url, init) => deliver(url, { ...init, body: 'status=succeeded' })),
  ],
  ['webhooks/one-result', 'delivers another job_id', delivers((body) => ({ ...body, job_id: 'job_0' }))],
  ['webhooks/one-result', 'delivers id instead of job_id', delivers(({ job_id: id, ...body }) => ({ id, ...body }))],
  ['webhooks/one-result', 'delivers the status completed', delivers((body) => ({ ...body, status: 'completed' }))],
  ['webhooks/output', 'delivers no output', delivers(({ output: _, ...body }) => body)],
  ['webhooks/credits', 'delivers no credits_used', delivers(({ credits_used: _, ...body }) => body)],
  ['webhooks/credits', 'delivers more credits than the price', delivers((body) => ({ ...body, credits_used: 40 }))],
  [
    'webhooks/completed-at',
    'delivers a time in local time',
    delivers((body) => ({ ...body, completed_at: '2026-01-01T01:00:04+01:00' })),
  ],
  [
    'webhooks/completed-at',
    'delivers a time in seconds',
    delivers((body) => ({ ...body, completed_at: 1_767_225_604 })),
  ],
  [
    'webhooks/delivered',
    'does not deliver failures',
    onDelivery((deliver, url, init) => (isFailure(init) ? lost() : deliver(url, init))),
  ],
  ['webhooks/one-result', 'delivers the status error', delivers((body) => ({ ...body, status: 'error' }))],
  [
    'webhooks/failure-code',
    'delivers another code',
    delivers((body) => ({ ...body, error: { code: 'FAILED', message: 'no' } })),
  ],
  [
    'webhooks/failure-error',
    'delivers no message',
    delivers((body) => ({ ...body, error: { code: 'PROVIDER_FAILURE' } })),
  ],
  ['webhooks/not-retried', 'retries a delivery that was rejected', onDelivery(retryingRejected)],
  ['webhooks/not-retried', 'retries a delivery without a response', onDelivery(retryingSilent)],
])
