import type { ListModelsQuery, RunRequest } from '@modelrun/contract'
import {
  type Check,
  type Checks,
  callback,
  checkEach,
  count,
  flag,
  hasMethods,
  having,
  httpUrl,
  isPlainData,
  isText,
  json,
  must,
  needs,
  notNegative,
  oneOf,
  positive,
  showValue,
  signal,
  text,
  unchecked,
} from '@modelrun/kit'
import { headersByName, readFetchOptions } from './http/fetch.ts'
import type { CallOptions } from './http/operation.ts'
import type { WaitOptions } from './job-handle.ts'
import type { RequestOptions } from './runs/raw-request.ts'
import type { RunManyOptions } from './runs/run-many-options.ts'
import { checkJson } from './runs/run-operation.ts'
import type { PreflightOptions, RunOptions, SubmitOptions } from './runs/run-options.ts'

/** True for what `for await` takes, but not for a string: its letters would be the members. */
const isList = (value: unknown) => hasMethods(value, Symbol.iterator) || hasMethods(value, Symbol.asyncIterator)

/** The checks of the arguments of calls, by the argument's name. */
const ARGUMENTS = /* @__PURE__ */ (() => {
  const id = needs('an id', isText)
  // A string is rejected: iteration would yield its letters.
  const list = needs('a list, like [one, two]', isList)
  return { model: id, id, inputs: list, jobs: list } satisfies Record<string, Check>
})()

/** Checks the arguments of a call except its options. @throws ConfigurationError */
export function checkArguments(place: string, given: { readonly [Name in keyof typeof ARGUMENTS]?: unknown }): void {
  checkEach(place, given, ARGUMENTS)
}

/** Reads a value in the turn of the call, by a function that throws errors of its own: the caller may change it later. */
export function readBy(copy: (value: never) => unknown, check = unchecked): Check {
  // The function proves what it is given.
  return Object.assign((value: unknown) => check(value), { copy: copy as (value: unknown) => unknown })
}
export const fetchOptions = /* @__PURE__ */ readBy(readFetchOptions)
export const headers = /* @__PURE__ */ readBy(headersByName)

// Functions, because bundlers keep an object that another one is spread into.
const callOptions = (): Checks<CallOptions> => ({
  signal,
  timeoutMs: positive,
  maxRetries: count,
  headers,
  fetchOptions,
})

const preflightOptions = (): Checks<PreflightOptions & Pick<SubmitOptions, 'keepSent'>> => ({
  maxCredits: notNegative,
  validateInput: flag,
  keepSent: flag,
})

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
  deadlineMs: positive,
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
  resume: (value) => having('a Map', 'get')(value) ?? wholeKeys(value),
}))()

/** A key that is the index of no input would have its run sent, and paid, again. */
const wholeKeys: Check = (value) => {
  const wrong =
    value instanceof Map
      ? [...value.keys()].find((key) => typeof key === 'bigint' || !/^(0|[1-9]\d*)$/.test(String(key)))
      : undefined
  return wrong === undefined ? undefined : `must have the indexes of inputs as its keys, not ${showValue(wrong)}`
}

/** `null` and `NaN` have no form in a query. */
function isQueryValue(value: unknown): boolean {
  return value !== null && Object(value) !== value && !Number.isNaN(value)
}

export const REQUEST_OPTIONS = /* @__PURE__ */ ((): Checks<RequestOptions> => ({
  ...callOptions(),
  query: readBy(
    (query: object) => ({ ...query }),
    must('an object of texts and numbers', (value) => isPlainData(value) && Object.values(value).every(isQueryValue)),
  ),
  body: readBy((body) => checkJson(body, 'body')),
}))()

export const CALL_OF_RUN = /* @__PURE__ */ (() => ({ ...callOptions(), maxCredits: notNegative }))()

/** Of `models.list`: the wire's own names (section 4.1). */
export const LIST_QUERY: Checks<ListModelsQuery> = { category: text, search: text, limit: count, offset: count }

/** Of `models.run`: the wire's own names (section 4.3). */
export const RUN_BODY: Checks<RunRequest> = { input: unchecked, sync: flag, webhook_url: httpUrl }
