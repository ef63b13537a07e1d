import type { Checks } from '@modelrun/kit'
import * as kit from '@modelrun/kit'
import { fetchOptions, headers } from './call-options.ts'
import type { PollingOptions } from './jobs/polling/polling-options.ts'
import { LOG_LEVELS } from './observe/logger.ts'
import type { ModelRunOptions } from './options.ts'

export const CLIENT_OPTIONS = /* @__PURE__ */ ((): Checks<ModelRunOptions> => ({
  // Their errors must not print them, and they may come from the environment.
  apiKey: kit.unchecked,
  baseUrl: kit.text,
  timeoutMs: kit.positive,
  maxRetries: kit.count,
  fetch: kit.callback,
  fetchOptions,
  ky: kit.having('a ky', 'extend'),
  headers,
  polling: kit.unchecked,
  logger: kit.having('a logger', 'debug', 'info', 'warn', 'error'),
  logLevel: kit.oneOf(...LOG_LEVELS),
  clock: kit.clock,
  random: kit.callback,
  dangerouslyAllowHttp: kit.flag,
  dangerouslyAllowBrowser: kit.flag,
}))()

export const POLLING_OPTIONS: Checks<PollingOptions> = {
  initialIntervalMs: kit.positive,
  maxIntervalMs: kit.positive,
  maxRequestsPerSecond: kit.positive,
  nextDelayMs: kit.callback,
}

/** The options of a client, without those that are undefined. @throws ConfigurationError */
export function readClientOptions(place: string, options: ModelRunOptions): ModelRunOptions {
  const given = kit.readOptions(place, options, CLIENT_OPTIONS)
  return given.polling === undefined
    ? given
    : { ...given, polling: kit.readOptions('polling', given.polling, POLLING_OPTIONS) }
}
