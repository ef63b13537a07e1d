import { at } from '../../packages/conformance/src/json.ts'
import { hasWebhook, isHeld } from './edits.ts'
import { type Edit, editedWhere, isFor, mutants, put, when } from './mutation.ts'

import { alsoCharges, eachOf, isFailing, late, rejects, searchesTheFirstPage, shortHolds } from './rule-mutations.ts'

const CHARGE = '1: cancelled jobs are not charged; 2.1: credits_per_run is charged per run'
const HOLD = '8: 202 is returned after about 55 seconds of waiting'
const LIST = '4.1: total is the number of matching models, offset the pagination offset'
const MODEL = '4.2: the details are the model of the list, with its input_schema'

const ofShelf = (edit: Edit) =>
  editedWhere((request) => isFor(request, 'getModel') && /shelf/.test(request.url.pathname), edit)

/** Lies that show in one corner, now and then, or in a comparison: the judges of all evidence notice them. */
export const RULE_MUTANTS = mutants([
  [
    CHARGE,
    'charges failed jobs with webhook_url only',
    alsoCharges((request, response) =>
      isFor(request, 'runModel') && isFailing(request) && hasWebhook(request) && response.status < 300 ? 4 : 0,
    ),
    'charges/every-run',
  ],
  [HOLD, 'gives up every second hold after 20 s', shortHolds(), 'runs/held-time'],
  [
    HOLD,
    'holds a run for 68 seconds',
    late((request, response) => isHeld(response, request), 13_000),
    'runs/held-time',
  ],
  [
    '4.3: a run with sync false and webhook_url is queued or processing',
    'says completed of an asynchronous run with webhook_url',
    editedWhere((request) => at(request.body, '/sync') === false && hasWebhook(request), put('/status', 'completed')),
    'webhooks/async-run-status',
  ],
  [
    LIST,
    'counts one more in every second total',
    eachOf(
      2,
      'listModels',
      put('/total', (total: number) => total + 1),
    ),
    'models/every-total',
  ],
  [
    '4.1: the response is a list of models',
    'has an error beside the models',
    eachOf(
      3,
      'listModels',
      when(({ status: code }) => code === 200, put('/error', { code: 'OK', message: 'No error.' })),
    ),
    'errors/not-in-a-success',
  ],
  [LIST, 'shows other models on later pages of a search', searchesTheFirstPage(), 'models/search'],
  [
    MODEL,
    'shows another price of models that are only listed',
    ofShelf(put('/pricing/credits_per_run', 99)),
    'details/same-in-both',
  ],
  [
    MODEL,
    'has no schema of models that are only listed',
    ofShelf(put('/input_schema', undefined)),
    'details/with-schema',
  ],
  [
    '5: a key with the permission is let in',
    'rejects the right key now and then',
    eachOf(9, 'listModels', (response, request) => {
      if (response.status < 300) rejects(response, request)
    }),
    'auth/right-key',
  ],
])
