import { text } from 'node:stream/consumers'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { isClientError, UsageError } from '../errors.ts'
import { ask } from '../terminal/ask.ts'
import { createClient } from './service.ts'
import { readLogin, storeLogin } from './stored-login.ts'

/** Stores a url with its key, when the service accepts the key. */
export async function login(_: [], options: { baseUrl?: string | undefined }, context: CliContext): Promise<ExitCode> {
  const { env, terminal } = context
  const asks = terminal.isInteractive
  const given = options.baseUrl ?? env.MODELRUN_BASE_URL
  if (!given && !asks)
    throw new UsageError('The url of the service is missing: pass --base-url <url>. Nothing was stored.')
  const baseUrl = given || (await ask('Url of the service: '))
  const apiKey = asks
    ? await ask(`API key for ${baseUrl} (not shown): `, { isHidden: true })
    : (await text(process.stdin)).trim()
  if (apiKey === '') throw new UsageError('There is no API key. Nothing was stored.')
  await checkKey(apiKey, baseUrl, context)
  storeLogin({ baseUrl, apiKey }, env)
  terminal.say(`Stored ${baseUrl} and its key.`)
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

export async function logout(_: [], __: object, { env, terminal }: CliContext): Promise<ExitCode> {
  if (readLogin(env) === undefined) throw new UsageError('No url and key are stored.')
  storeLogin(undefined, env)
  terminal.say('Removed url and key. The key itself is still valid: revoke it where it was created.')
  return EXIT.done
}
