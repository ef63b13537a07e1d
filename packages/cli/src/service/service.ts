import { readFileSync } from 'node:fs'
import type { ModelRun } from 'modelrun'
import type { CliContext } from '../context.ts'
import { isClientError, messageOf, UsageError } from '../errors.ts'
import type { ConnectionOptions } from '../options.ts'
import { readLogin } from './stored-login.ts'

export interface Found {
  value: string
  source: string
}

export interface Service {
  client: ModelRun
  baseUrl: string
  apiKey: string
}

/** @throws UsageError when there is no key or no url */
export async function createService(options: ConnectionOptions, context: CliContext): Promise<Service> {
  const { key, url } = findConnection(options, context)
  if (key === undefined) throw new UsageError(NO_KEY)
  if (url === undefined) throw new UsageError(NO_URL)
  const client = await createClient(key.value, url.value, context)
  // The same for every spelling: what was stored at a url is found by it.
  const { origin, pathname } = new URL(url.value)
  return { client, baseUrl: `${origin}${pathname.replace(/\/+$/, '')}`, apiKey: key.value }
}

/** @throws UsageError when url or key cannot be one: the client names its option, and a person has set a variable or a flag */
export async function createClient(apiKey: string, baseUrl: string, { terminal, env }: CliContext): Promise<ModelRun> {
  terminal.apiKey = apiKey
  const { ModelRun } = await import('modelrun')
  const say = (message: string) => terminal.say(message)
  try {
    return new ModelRun({
      apiKey,
      baseUrl,
      dangerouslyAllowHttp: env.MODELRUN_ALLOW_HTTP === '1',
      logger: { debug: say, info: say, warn: say, error: say },
    })
  } catch (error) {
    if (!isClientError(error)) throw error
    throw new UsageError(`${messageOf(error)} Nothing was sent.`)
  }
}

export const NO_KEY =
  'There is no API key. Store one with `modelrun login`, set the environment variable MODELRUN_API_KEY, or name a file: ' +
  '--api-key-file <file>. `modelrun dev` starts a service on this machine, and prints a key.'

export const NO_URL =
  'There is no url of the service. Store one with `modelrun login`, set the environment variable MODELRUN_BASE_URL, or pass ' +
  '--base-url <url>. `modelrun dev` starts a service on this machine.'

/**
 * Finds url and key: those of options and variables, else both of `modelrun login`. One of each is never combined: a key would be
 * sent to a service that it is not for.
 *
 * @throws UsageError when they would be combined, and when the file of the key cannot be read
 */
export function findConnection(
  options: ConnectionOptions,
  { env, terminal }: CliContext,
): { key: Found | undefined; url: Found | undefined } {
  const key = findKey(options.apiKeyFile, env.MODELRUN_API_KEY)
  const url = findUrl(options.baseUrl, env.MODELRUN_BASE_URL)
  const stored = key !== undefined && url !== undefined ? undefined : readLogin(env)
  terminal.apiKey = key?.value ?? stored?.apiKey
  if (stored === undefined) return { key, url }
  const half = key ?? url
  if (half !== undefined) {
    const missing = url === undefined ? 'MODELRUN_BASE_URL' : 'MODELRUN_API_KEY'
    throw new UsageError(
      `${half.source} is not combined with url and key of \`modelrun login\`, which are for ${stored.baseUrl}. Nothing was sent. ` +
        `Remove ${half.source} to use those, or set ${missing} too.`,
    )
  }
  const source = '`modelrun login`'
  return { key: { value: stored.apiKey, source }, url: { value: stored.baseUrl, source } }
}

/** An argument would show the key to every user of the machine. @throws UsageError */
function findKey(file: string | undefined, variable: string | undefined): Found | undefined {
  if (file === undefined) return variable ? { value: variable, source: 'MODELRUN_API_KEY' } : undefined
  let value: string
  try {
    value = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`The API key cannot be read from --api-key-file ${file}: ${messageOf(error)}`)
  }
  if (value === '') throw new UsageError(`The file ${file} of --api-key-file is empty. Put the API key into it.`)
  return { value, source: `--api-key-file ${file}` }
}

/** The url alone, where it is given apart from a key. */
export function findUrl(option: string | undefined, variable: string | undefined): Found | undefined {
  // That of a variable that is not set: another service would be called.
  if (option === '') throw new UsageError('--base-url is empty. Nothing was sent.')
  if (option) return { value: option, source: '--base-url' }
  return variable ? { value: variable, source: 'MODELRUN_BASE_URL' } : undefined
}
