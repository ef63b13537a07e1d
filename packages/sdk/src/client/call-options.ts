import type { ListModelsQuery, RunRequest } from '@modelrun/contract'
import type { Check, Checks } from '@modelrun/kit'
import * as kit from '@modelrun/kit'
import { headersByName, readFetchOptions } from './http/fetch.ts'
import type { CallOptions } from './http/operation.ts'
import type { WaitOptions } from './job-handle.ts'
import type { RequestOptions } from './runs/raw-request.ts'
import type { RunManyOptions } from './runs/run-many-options.ts'
import { checkJson } from './runs/run-operation.ts'
import type { PreflightOptions, RunOptions, SubmitOptions } from './runs/run-options.ts'

/** True for what `for await` takes, but not for a string: its letters would be the members. */
const isList = (value: unknown) => kit.hasMethods(value, Symbol.iterator) || kit.hasMethods(value, Symbol.asyncIterator)

/** The checks of the arguments of calls, by the argument's name. */
const ARGUMENTS = /* @__PURE__ */ (() => {
  const id = kit.needs('an id', kit.isText)
  // A string is rejected: iteration would yield its letters.
  const list = kit.needs('a list, like [one, two]', isList)
  return { model: id, id, inputs: list, jobs: list } satisfies Record<string, Check>
})()

/** Checks the arguments of a call except its options. @throws ConfigurationError */
export function checkArguments(place: string, given: { readonly [Name in keyof typeof ARGUMENTS]?: unknown }): void {
  kit.checkEach(place, given, ARGUMENTS)
}

/** Reads a value in the turn of the call, by a function that throws errors of its own: the caller may change it later. */
export function readBy(copy: (value: never) => unknown, check = kit.unchecked): Check {
  // The function proves what it is given.
  return Object.assign((value: unknown) => check(value), { copy: copy as (value: unknown) => unknown })
}
export const fetchOptions = /* @__PURE__ */ readBy(readFetchOptions)
export const headers = /* @__PURE__ */ readBy(headersByName)

// Functions, because bundlers keep an object that another one is spread into.
const callOptions = (): Checks<CallOptions> => ({
  signal: kit.signal,
  timeoutMs: kit.positive,
  maxRetries: kit.count,
  headers,
  fetchOptions,
})

const preflightOptions = (): Checks<PreflightOptions & Pick<SubmitOptions, 'keepSent'>> => ({
  maxCredits: kit.notNegative,
  validateInput: kit.flag,
  keepSent: kit.flag,
})

const webhookOptions = (): Checks<Pick<RunOptions, 'webhook' | 'webhookUrl' | 'context'>> => ({
  context: kit.json,
  webhookUrl: kit.httpUrl,
  webhook: kit.having('an inbox (a URL goes into `webhookUrl`)', 'prepare', 'expect', 'forget', 'listen'),
})

const waitOptions = (): Checks<WaitOptions> => ({
  ...callOptions(),
  deadlineMs: kit.positive,
  onStatus: kit.callback,
  onAbort: kit.oneOf('detach', 'cancel'),
  onDeadline: kit.oneOf('detach', 'cancel'),
})

export const CALL_OPTIONS = /* @__PURE__ */ callOptions()
export const WAIT_OPTIONS = /* @__PURE__ */ waitOptions()

export const SUBMIT_OPTIONS = /* @__PURE__ */ ((): Checks<SubmitOptions> => ({
  ...callOptions(),
  ...preflightOptions(),
  ...webhookOptions(),
  deadlineMs: kit.positive,
}))()

export const RUN_OPTIONS = /* @__PURE__ */ ((): Checks<RunOptions> => ({
  ...waitOptions(),
  ...preflightOptions(),
  ...webhookOptions(),
  mode: kit.oneOf('sync', 'async'),
}))()

export const RUN_MANY_OPTIONS = /* @__PURE__ */ ((): Checks<RunManyOptions> => ({
  ...waitOptions(),
  ...preflightOptions(),
  webhook: webhookOptions().webhook,
  context: kit.json,
  concurrency: kit.positive,
  onProgress: kit.callback,
  resume: (value) => kit.having('a Map', 'get')(value) ?? wholeKeys(value),
}))()

/** A key that is the index of no input would have its run sent, and paid, again. */
const wholeKeys: Check = (value) => {
  const wrong =
    value instanceof Map
      ? [...value.keys()].find((key) => typeof key === 'bigint' || !/^(0|[1-9]\d*)$/.test(String(key)))
      : undefined
  return wrong === undefined ? undefined : `must have the indexes of inputs as its keys, not ${kit.showValue(wrong)}`
}

/** `null` and `NaN` have no form in a query. */
function isQueryValue(value: unknown): boolean {
  return value !== null && Object(value) !== value && !Number.isNaN(value)
}

export const REQUEST_OPTIONS = /* @__PURE__ */ ((): Checks<RequestOptions> => ({
  ...callOptions(),
  query: readBy(
    (query: object) => ({ ...query }),
    kit.must(
      'an object of texts and numbers',
      (value) => kit.isPlainData(value) && Object.values(value).every(isQueryValue),
    ),
  ),
  body: readBy((body) => checkJson(body, 'body')),
}))()

export const CALL_OF_RUN = /* @__PURE__ */ (() => ({ ...callOptions(), maxCredits: kit.notNegative }))()

/** Of `models.list`: the wire's own names (section 4.1). */
export const LIST_QUERY: Checks<ListModelsQuery> = {
  category: kit.text,
  search: kit.text,
  limit: kit.count,
  offset: kit.count,
}

/** Of `models.run`: the wire's own names (section 4.3). */
export const RUN_BODY: Checks<RunRequest> = { input: kit.unchecked, sync: kit.flag, webhook_url: kit.httpUrl }
