import type { ModelRun } from 'modelrun'
import type { CliContext } from '../cli-context.ts'
import { isClientError } from '../errors/report-error.ts'
import { UsageError } from '../errors/usage-error.ts'
import { cleanText } from '../terminal/clean-text.ts'
import { readApiKey } from './read-api-key.ts'
import type { ServiceOptions } from './service-options.ts'

/** A client of the service, and the url that it calls. */
export interface Service {
  client: ModelRun
  baseUrl: string
}

/** @throws UsageError when there is no key or no url */
export async function createService(options: ServiceOptions, context: CliContext): Promise<Service> {
  const { apiKey } = readApiKey(options.apiKeyFile, context)
  const baseUrl = readBaseUrl(options, context)
  const { ModelRun } = await import('modelrun')
  const say = (message: string) => context.terminal.say(message)
  const logger = { debug: say, info: say, warn: say, error: say }
  const client = orUsageError(() => new ModelRun({ apiKey, baseUrl, logger }))
  return { client, baseUrl }
}

/** The client names its option; a person has set a variable or a flag. @throws UsageError when a setting is wrong */
function orUsageError<T>(create: () => T): T {
  try {
    return create()
  } catch (error) {
    if (!isClientError(error)) throw error
    throw new UsageError(cleanText(error.message).replace('The option `baseUrl`', 'MODELRUN_BASE_URL or --base-url'))
  }
}

/** The url of the service. @throws UsageError */
export function readBaseUrl({ baseUrl }: ServiceOptions, { env }: CliContext): string {
  const url = baseUrl ?? env.MODELRUN_BASE_URL
  if (url) return url
  throw new UsageError(
    'There is no url of the service. Set the environment variable MODELRUN_BASE_URL, or pass --base-url <url>. ' +
      '`modelrun dev` starts a service on this machine.',
  )
}
