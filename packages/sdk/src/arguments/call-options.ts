import type { ListModelsQuery, RunRequest } from '@modelrun/contract'
import type { DownloadOptions } from '../files/download.ts'
import type { CallOptions } from '../http/operation.ts'
import type { WaitOptions } from '../jobs/wait-options.ts'
import type { RunManyOptions } from '../runs/run-many-options.ts'
import type { PreflightOptions, RunOptions, SubmitOptions } from '../runs/run-options.ts'
import {
  callback,
  count,
  flag,
  having,
  headers,
  httpUrl,
  notNegative,
  oneOf,
  parameters,
  positive,
  signal,
  text,
} from './checks.ts'
import type { Checks } from './read-options.ts'

// Functions, because bundlers keep an object that another one is spread into.
const callOptions = (): Checks<CallOptions> => ({ signal, timeoutMs: positive, maxRetries: count, headers })

const preflightOptions = (): Checks<PreflightOptions> => ({ maxCredits: notNegative, validateInput: flag })

const webhookOptions = (): Checks<Pick<RunOptions, 'webhook' | 'webhookUrl'>> => ({
  webhookUrl: httpUrl,
  webhook: having('an inbox (an address goes into `webhookUrl`)', 'prepare', 'expect', 'forget', 'listen'),
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
  concurrency: positive,
  onProgress: callback,
  stopOnError: flag,
  resume: having('a Map', 'get'),
}))()

export const DOWNLOAD_OPTIONS: Checks<DownloadOptions> = {
  signal,
  maxBytes: positive,
  timeoutMs: positive,
  maxRetries: count,
}

/** Of `models.list`: the wire's own names (section 4.1). */
export const LIST_QUERY: Checks<ListModelsQuery> = { category: text, search: text, limit: count, offset: count }

/** Of `models.run`: the wire's own names (section 4.3). */
export const RUN_BODY = /* @__PURE__ */ ((): Checks<RunRequest> => ({
  input: parameters,
  sync: flag,
  webhook_url: httpUrl,
}))()
