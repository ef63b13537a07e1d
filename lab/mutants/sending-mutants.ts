import { at } from '../../packages/conformance/src/json.ts'
import {
  deliversAfter,
  deliversCancelled,
  deliversEarly,
  deliversEverything,
  everyOther,
  forgets,
  losesJobs,
  onlyAsync,
  retriesAfter,
} from './delivery-mutations.ts'
import { onDelivery } from './edits.ts'
import { type Mutation, mutants, put, status, take } from './mutation.ts'

const SENT = '6: the delivery is sent once a job finishes'
const NO_RETRY = '6 rule 2: a failed delivery is not retried'
const POLLING = '6 rule 4: receivers can always fall back to polling'
const EMITTED = '6 rule 6: emitted by the run operation when webhook_url is present'

type Body = Record<string, unknown>
const failed = ({ status: word }: Body) => word === 'failed'

const lost = () => Promise.resolve(new Response())
const bodyOf = (init: RequestInit): Body => JSON.parse(String(init.body))

/** Repeats a delivery that got this response. */
function retries(isRejected: (code: number) => boolean): Mutation {
  return onDelivery(async (deliver, url, init) => {
    const response = await deliver(url, init)
    return isRejected(response.status) ? deliver(url, init) : response
  })
}

/** When webhook deliveries are sent, how often, and what can be polled then. */
export const SENDING_MUTANTS = mutants([
  [EMITTED, 'delivers runs without webhook_url too', deliversEverything()],
  [
    EMITTED,
    'does not deliver asynchronous runs',
    forgets((body) => at(body, '/sync') === false && at(body, '/webhook_url') !== undefined),
    'webhooks/delivered',
  ],
  [EMITTED, 'delivers asynchronous runs only', onlyAsync()],
  [SENT, 'delivers when it takes a run', deliversEarly()],
  [
    SENT,
    'delivers processing first',
    onDelivery(async (deliver, url, init) => {
      await deliver(url, { ...init, body: JSON.stringify({ ...bodyOf(init), status: 'processing' }) })
      return deliver(url, init)
    }),
  ],
  [
    SENT,
    'delivers a failure after the success',
    onDelivery(async (deliver, url, init) => {
      const first = await deliver(url, init)
      await deliver(url, { ...init, body: JSON.stringify({ ...bodyOf(init), status: 'failed' }) })
      return first
    }),
    'webhooks/one-result',
  ],
  [SENT, 'delivers every other result', everyOther()],
  [
    SENT,
    'delivers no failure of a model that was delivered before',
    onDelivery((deliver, url, init) => (failed(bodyOf(init)) ? lost() : deliver(url, init))),
  ],
  [SENT, 'delivers a success for a job that is cancelled', deliversCancelled(0), 'webhooks/no-success-when-cancelled'],
  [
    SENT,
    'delivers a success for a cancelled job when it would have ended',
    deliversCancelled(75_000),
    'webhooks/no-success-when-cancelled',
  ],
  [NO_RETRY, 'retries after 500', retries((code) => code === 500)],
  [NO_RETRY, 'retries after 404', retries((code) => code === 404), 'webhooks/not-retried'],
  [
    NO_RETRY,
    'retries three times',
    onDelivery(async (deliver, url, init) => {
      let response = await deliver(url, init)
      for (let attempt = 0; attempt < 3 && !response.ok; attempt++) response = await deliver(url, init)
      return response
    }),
  ],
  [SENT, 'delivers a minute after the end', deliversAfter(60_000), 'webhooks/delivered'],
  [NO_RETRY, 'retries after 3 seconds', retriesAfter(3_000)],
  [NO_RETRY, 'retries after a minute', retriesAfter(60_000)],
  [POLLING, 'forgets a job whose delivery was rejected', losesJobs((response) => response === 'rejected', status(404))],
  [
    POLLING,
    'fails a job whose delivery was rejected',
    losesJobs(
      (response) => response === 'rejected',
      put('/data', { status: 'failed', error: { code: 'WEBHOOK', message: 'No.' } }),
    ),
  ],
  [
    POLLING,
    'drops the output of a job whose delivery was rejected',
    losesJobs((response) => response === 'rejected', take('/data/output')),
    'jobs/every-output',
  ],
  [
    POLLING,
    'forgets a job whose receiver was silent',
    losesJobs((response) => response === 'silent', status(404)),
    'jobs/every-poll',
  ],
  [POLLING, 'forgets a job that was delivered', losesJobs((response) => response === 'accepted', status(404))],
  [
    POLLING,
    'drops the output of a job that was delivered',
    losesJobs((response) => response === 'accepted', take('/data/output')),
    'jobs/every-output',
  ],
])
