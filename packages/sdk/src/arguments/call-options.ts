import type { ListModelsQuery, RunRequest } from '@modelrun/contract'
import {
  type Checks,
  callback,
  count,
  flag,
  having,
  httpUrl,
  isPlainData,
  must,
  notNegative,
  oneOf,
  positive,
  signal,
  text,
  unchecked,
} from '@modelrun/kit'
import type { CallOptions } from '../http/operation.ts'
import type { RequestOptions } from '../http/raw-request.ts'
import type { WaitOptions } from '../jobs/job-handle.ts'
import { json } from '../runs/json.ts'
import type { RunManyOptions } from '../runs/run-many-options.ts'
import type { PreflightOptions, RunOptions, SubmitOptions } from '../runs/run-options.ts'
import { fetchOptions, headers } from './checks.ts'

// Functions, because bundlers keep an object that another one is spread into.
const callOptions = (): Checks<CallOptions> => ({
  signal,
  timeoutMs: positive,
  maxRetries: count,
  headers,
  fetchOptions,
})

const preflightOptions = (): Checks<PreflightOptions> => ({ maxCredits: notNegative, validateInput: flag })

const webhookOptions = (): Checks<Pick<RunOptions, 'webhook' | 'webhookUrl' | 'context'>> => ({
  context: json,
  webhookUrl: httpUrl,
  webhook: having('an inbox (a URL goes into `webhookUrl`)', 'prepare', 'expect', 'forget', 'listen'),
})

const waitOptions = (): Checks<WaitOptions> => ({
  ...callOptions(),
  deadlineMs: positive,
  onStatus: callback,
  onAbort: oneOf('detach', 'cancel'),
  onDeadline: oneOf('detach', 'cancel'),
})

export const CALL_OPTIONS = /* @__PURE__ */ callOptions()
export const WAIT_OPTIONS = /* @__PURE__ */ waitOptions()

export const SUBMIT_OPTIONS = /* @__PURE__ */ ((): Checks<SubmitOptions> => ({
  ...callOptions(),
  ...preflightOptions(),
  ...webhookOptions(),
}))()

export const RUN_OPTIONS = /* @__PURE__ */ ((): Checks<RunOptions> => ({
  ...waitOptions(),
  ...preflightOptions(),
  ...webhookOptions(),
  mode: oneOf('sync', 'async'),
}))()

export const RUN_MANY_OPTIONS = /* @__PURE__ */ ((): Checks<RunManyOptions> => ({
  ...waitOptions(),
  ...preflightOptions(),
  webhook: webhookOptions().webhook,
  context: json,
  concurrency: positive,
  onProgress: callback,
  stopOnError: flag,
  resume: having('a Map', 'get'),
}))()

export const REQUEST_OPTIONS = /* @__PURE__ */ ((): Checks<RequestOptions> => ({
  ...callOptions(),
  query: must(
    'an object of texts and numbers',
    (value) => isPlainData(value) && Object.values(value).every((member) => Object(member) !== member),
  ),
  body: unchecked,
}))()

/** Of `models.list`: the wire's own names (section 4.1). */
export const LIST_QUERY: Checks<ListModelsQuery> = { category: text, search: text, limit: count, offset: count }

/** Of `models.run`: the wire's own names (section 4.3). */
export const RUN_BODY: Checks<RunRequest> = { input: unchecked, sync: flag, webhook_url: httpUrl }
