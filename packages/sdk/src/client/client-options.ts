import {
  type Checks,
  callback,
  clock,
  count,
  flag,
  having,
  oneOf,
  positive,
  readOptions,
  text,
  unchecked,
} from '@modelrun/kit'
import { fetchOptions, headers } from './call-options.ts'
import type { PollingOptions } from './jobs/polling/polling-options.ts'
import { LOG_LEVELS } from './observe/logger.ts'
import type { ModelRunOptions } from './options.ts'

export const CLIENT_OPTIONS = /* @__PURE__ */ ((): Checks<ModelRunOptions> => ({
  // Their errors must not print them, and they may come from the environment.
  apiKey: unchecked,
  baseUrl: text,
  timeoutMs: positive,
  maxRetries: count,
  fetch: callback,
  fetchOptions,
  ky: having('a ky', 'extend'),
  headers,
  polling: unchecked,
  logger: having('a logger', 'debug', 'info', 'warn', 'error'),
  logLevel: oneOf(...LOG_LEVELS),
  clock,
  random: callback,
  dangerouslyAllowHttp: flag,
  dangerouslyAllowBrowser: flag,
}))()

export const POLLING_OPTIONS: Checks<PollingOptions> = {
  initialIntervalMs: positive,
  maxIntervalMs: positive,
  maxRequestsPerSecond: positive,
  nextDelayMs: callback,
}

/** The options of a client, without those that are undefined. @throws ConfigurationError */
export function readClientOptions(place: string, options: ModelRunOptions): ModelRunOptions {
  const given = readOptions(place, options, CLIENT_OPTIONS)
  return given.polling === undefined
    ? given
    : { ...given, polling: readOptions('polling', given.polling, POLLING_OPTIONS) }
}
