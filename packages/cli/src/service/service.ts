import { readFileSync } from 'node:fs'
import { isPlainHttp } from '@modelrun/kit'
import type { ModelRun } from 'modelrun'
import type { CliContext } from '../context.ts'
import { isClientError, messageOf, UsageError } from '../errors.ts'
import type { ConnectionOptions } from '../options.ts'
import { DEFAULT_PROFILE, findProfile } from './profiles.ts'

/** One half of a connection, and where it comes from. */
export interface Found {
  value: string
  source: string
}

/** A client of the service, and what it calls with. */
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
  return { client: await createClient(key.value, url.value, context), baseUrl: url.value, apiKey: key.value }
}

/** @throws UsageError when url or key cannot be one: the client names its option, and a person has set a variable or a flag */
export async function createClient(apiKey: string, baseUrl: string, { terminal, env }: CliContext): Promise<ModelRun> {
  terminal.apiKey = apiKey
  if (!apiKey.startsWith('sk_test_') && isUnencrypted(baseUrl, env))
    throw new UsageError(`${unencryptedText(baseUrl)} Nothing was sent.`)
  const { ModelRun } = await import('modelrun')
  const say = (message: string) => terminal.say(message)
  try {
    const dangerouslyAllowHttp = env.MODELRUN_ALLOW_HTTP === '1'
    return new ModelRun({
      apiKey,
      baseUrl,
      dangerouslyAllowHttp,
      logger: { debug: say, info: say, warn: say, error: say },
    })
  } catch (error) {
    if (!isClientError(error)) throw error
    throw new UsageError(error.message.replace('The option `baseUrl`', 'MODELRUN_BASE_URL or --base-url'))
  }
}

/** Whether everyone on the way can read the key, and the user does not say that this is wanted. */
export function isUnencrypted(baseUrl: string, { MODELRUN_ALLOW_HTTP }: CliContext['env']): boolean {
  return isPlainHttp(baseUrl) && MODELRUN_ALLOW_HTTP !== '1'
}

export function unencryptedText(baseUrl: string): string {
  return `${baseUrl} is not encrypted: everyone on the way can read the key. Use https, or set MODELRUN_ALLOW_HTTP=1.`
}

export const NO_KEY =
  'There is no API key. Store one with `modelrun login`, set the environment variable MODELRUN_API_KEY, or name a file: ' +
  '--api-key-file <file>. `modelrun dev` starts a service on this machine, and prints a key.'

export const NO_URL =
  'There is no url of the service. Store one with `modelrun login`, set the environment variable MODELRUN_BASE_URL, or pass ' +
  '--base-url <url>. `modelrun dev` starts a service on this machine.'

/**
 * Finds url and key: those of options and variables, else both of a profile. One of each is never combined: a key would be
 * sent to a service that it is not for.
 *
 * @throws UsageError when they would be combined, and when a profile or file that is named is not there
 */
export function findConnection(options: ConnectionOptions, context: CliContext): { key?: Found; url?: Found } {
  const { env, terminal } = context
  const key = findKey(options.apiKeyFile, env.MODELRUN_API_KEY)
  const url = findUrl(options.baseUrl, env.MODELRUN_BASE_URL)
  terminal.apiKey = key?.value
  const named = options.profile ?? env.MODELRUN_PROFILE
  if (key !== undefined && url !== undefined) {
    if (options.profile !== undefined) terminal.say(`${url.source} and ${key.source} win over the profile ${named}.`)
    return { key, url }
  }
  const profile = findProfile(named, env)
  if (profile === undefined) return { ...(key && { key }), ...(url && { url }) }
  const half = key ?? url
  if (half !== undefined)
    throw new UsageError(mixedText(half, { url, profile: named ?? DEFAULT_PROFILE, baseUrl: profile.baseUrl }))
  terminal.apiKey = profile.apiKey
  const source = `the profile ${named ?? DEFAULT_PROFILE}`
  return { key: { value: profile.apiKey, source }, url: { value: profile.baseUrl, source } }
}

function mixedText(
  half: Found,
  { url, profile, baseUrl }: { url: Found | undefined; profile: string; baseUrl: string },
): string {
  const [has, other] =
    url === undefined ? ['the key', 'MODELRUN_BASE_URL'] : [`the url ${url.value}`, 'MODELRUN_API_KEY']
  return (
    `${half.source} has ${has}, and the profile ${profile} has a url and a key of its own, for ${baseUrl}. They are not combined, ` +
    `and nothing was sent. Remove ${half.source} to use the profile, or set ${other} too.`
  )
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
  if (option) return { value: option, source: '--base-url' }
  return variable ? { value: variable, source: 'MODELRUN_BASE_URL' } : undefined
}
