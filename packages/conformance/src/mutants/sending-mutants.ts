import { at } from '../json.ts'
import {
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
import { liar, type Mutant, type Mutation, put, status, take } from './mutation.ts'

const SENT = '6: the delivery is sent once a job finishes'
const NO_RETRY = '6 rule 2: a failed delivery is not retried'
const POLLING = '6 rule 4: receivers can always fall back to polling'
const EMITTED = '6 rule 6: emitted by the run operation when webhook_url is present'

type Body = Record<string, unknown>
const failed = ({ status: word }: Body) => word === 'failed'

const lost = () => Promise.resolve(new Response())
const bodyOf = (init: RequestInit): Body => JSON.parse(String(init.body))

/** Sends it again when it was answered like this. */
function retries(isRefused: (code: number) => boolean): Mutation {
  return onDelivery(async (deliver, url, init) => {
    const answer = await deliver(url, init)
    return isRefused(answer.status) ? deliver(url, init) : answer
  })
}

/** When webhook deliveries are sent, how often, and what can be polled then. */
export const SENDING_MUTANTS: readonly Mutant[] = [
  liar(EMITTED, 'delivers runs without webhook_url too', deliversEverything()),
  liar(
    EMITTED,
    'does not deliver asynchronous runs',
    forgets((body) => at(body, '/sync') === false && at(body, '/webhook_url') !== undefined),
    'webhooks/async-delivered',
  ),
  liar(EMITTED, 'delivers asynchronous runs only', onlyAsync()),
  liar(SENT, 'delivers when it takes a run', deliversEarly()),
  liar(
    SENT,
    'delivers processing first',
    onDelivery(async (deliver, url, init) => {
      await deliver(url, { ...init, body: JSON.stringify({ ...bodyOf(init), status: 'processing' }) })
      return deliver(url, init)
    }),
  ),
  liar(
    SENT,
    'delivers a failure after the success',
    onDelivery(async (deliver, url, init) => {
      const first = await deliver(url, init)
      await deliver(url, { ...init, body: JSON.stringify({ ...bodyOf(init), status: 'failed' }) })
      return first
    }),
    'webhooks/one-result',
  ),
  liar(SENT, 'delivers every other result', everyOther()),
  liar(
    SENT,
    'delivers no failure of a model that was delivered before',
    onDelivery((deliver, url, init) => (failed(bodyOf(init)) ? lost() : deliver(url, init))),
  ),
  liar(SENT, 'delivers a success for a job that is cancelled', deliversCancelled(0)),
  liar(
    SENT,
    'delivers a success for a cancelled job when it would have ended',
    deliversCancelled(75_000),
    'webhooks/no-success-when-cancelled',
  ),
  liar(
    NO_RETRY,
    'retries after 500',
    retries((code) => code === 500),
  ),
  liar(
    NO_RETRY,
    'retries after 404',
    retries((code) => code === 404),
    'webhooks/no-retry-after-404',
  ),
  liar(
    NO_RETRY,
    'retries three times',
    onDelivery(async (deliver, url, init) => {
      let answer = await deliver(url, init)
      for (let attempt = 0; attempt < 3 && !answer.ok; attempt++) answer = await deliver(url, init)
      return answer
    }),
  ),
  liar(NO_RETRY, 'retries after 3 seconds', retriesAfter(3_000)),
  liar(NO_RETRY, 'retries after a minute', retriesAfter(60_000)),
  liar(
    POLLING,
    'forgets a job whose delivery was rejected',
    losesJobs((answer) => answer === 'rejected', status(404)),
  ),
  liar(
    POLLING,
    'fails a job whose delivery was rejected',
    losesJobs(
      (answer) => answer === 'rejected',
      put('/data', { status: 'failed', error: { code: 'WEBHOOK', message: 'No.' } }),
    ),
  ),
  liar(
    POLLING,
    'drops the output of a job whose delivery was rejected',
    losesJobs((answer) => answer === 'rejected', take('/data/output')),
    'webhooks/result-after-500',
  ),
  liar(
    POLLING,
    'forgets a job whose receiver was silent',
    losesJobs((answer) => answer === 'silent', status(404)),
    'webhooks/result-after-silence',
  ),
  liar(
    POLLING,
    'forgets a job that was delivered',
    losesJobs((answer) => answer === 'accepted', status(404)),
  ),
  liar(
    POLLING,
    'drops the output of a job that was delivered',
    losesJobs((answer) => answer === 'accepted', take('/data/output')),
    'webhooks/result-stays',
  ),
]
