import { text } from 'node:stream/consumers'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { isClientError, UsageError } from '../errors.ts'
import { ask } from '../terminal/ask.ts'
import { DEFAULT_PROFILE, readProfiles, removeProfile, type StoredProfile, shownKey, storeProfile } from './profiles.ts'
import { createClient } from './service.ts'

/** Options of `modelrun login` and `logout`. */
export interface LoginOptions {
  profile?: string | undefined
  baseUrl?: string | undefined
}

/** Stores a url with its key, when the service accepts the key. */
export async function login(_: [], options: LoginOptions, context: CliContext): Promise<ExitCode> {
  const { env, terminal } = context
  const name = profileName(options, env)
  const asks = terminal.isInteractive
  const given = options.baseUrl ?? env.MODELRUN_BASE_URL
  if (!given && !asks)
    throw new UsageError('The url of the service is missing: pass --base-url <url>. Nothing was stored.')
  const baseUrl = given || (await ask('Url of the service: '))
  const apiKey = asks
    ? await ask(`API key for ${baseUrl} (not shown): `, { isHidden: true })
    : (await text(process.stdin)).trim()
  if (apiKey === '') throw new UsageError('There is no API key. Nothing was stored.')
  if (/\s/.test(apiKey)) throw new UsageError('The API key has a space or more than one line. Nothing was stored.')
  await checkKey(apiKey, baseUrl, context)
  const replaced = storeProfile(name, { baseUrl, apiKey }, env)
  terminal.say(`Stored ${baseUrl} with the key ${shownKey(apiKey)} as the profile ${name}.`)
  sayKeychain(name, replaced, context)
  if (env.MODELRUN_API_KEY || env.MODELRUN_BASE_URL)
    terminal.say('MODELRUN_API_KEY and MODELRUN_BASE_URL win over it: unset both to use it.')
  return EXIT.done
}

/** A key that may not list models is one, too. @throws What a key throws that is not accepted */
async function checkKey(apiKey: string, baseUrl: string, context: CliContext): Promise<void> {
  const client = await createClient(apiKey, baseUrl, context)
  try {
    await client.models.list({ limit: 1 })
  } catch (error) {
    if (isClientError(error) && error.status === 403) return
    context.terminal.say('Nothing was stored: the key could not be checked.')
    throw error
  }
}

/** Removes a profile. */
export async function logout(_: [], options: LoginOptions, context: CliContext): Promise<ExitCode> {
  const { env, terminal } = context
  const name = profileName(options, env)
  const removed = removeProfile(name, env)
  if (removed === undefined) throw new UsageError(`There is no profile ${name}. \`modelrun profiles\` lists them.`)
  terminal.say(`Removed the profile ${name}. The key itself is still valid: revoke it where it was created.`)
  sayKeychain(name, removed, context)
  return EXIT.done
}

/** Version 0.1.0 stored keys there. */
function sayKeychain(name: string, profile: StoredProfile | undefined, { terminal }: CliContext): void {
  if (profile?.stored_in !== 'keychain') return
  terminal.say(`Its earlier key is still in the keychain of the system: remove the entry "modelrun" of ${name} there.`)
}

/** Lists the profiles, without their secrets. */
export async function listProfiles(_: [], __: object, { env, terminal }: CliContext): Promise<ExitCode> {
  const profiles = [...readProfiles(env)]
  for (const [name, { base_url, key, stored_in }] of profiles)
    terminal.event('profile', { name, base_url, key, stored_in })
  const rows = profiles.map(([name, { key, base_url }]) => [name, key, base_url])
  if (rows.length === 0) terminal.say('No profile is stored here. Store one with: modelrun login')
  else await terminal.printTable([['PROFILE', 'KEY', 'URL'], ...rows])
  return EXIT.done
}

/** @throws UsageError for a name that could be taken for something else in a shell */
function profileName({ profile }: LoginOptions, env: CliContext['env']): string {
  const name = profile ?? (env.MODELRUN_PROFILE || DEFAULT_PROFILE)
  if (/^[\w][\w.-]{0,63}$/.test(name)) return name
  throw new UsageError(`The profile ${name} must have a name of letters, digits, dots and dashes.`)
}
