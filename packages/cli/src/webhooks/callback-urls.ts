import type { CliContext } from '../cli-context.ts'
import { isClientError } from '../errors/report-error.ts'
import { UsageError } from '../errors/usage-error.ts'

/** Where deliveries go. */
export interface Receiver {
  forwardTo: string
  /** `publicUrl` of the receiver's inbox; `none` when it has none. Default: `forwardTo`. */
  publicUrl?: string | undefined
}

/** Urls for deliveries. */
export interface CallbackUrls {
  /** The url for a job, and for its duplicates: a token is for one job. */
  create(): Promise<string>
  /** What to do when the receiver responds with 401. */
  readonly advice: string
}

const SECRET = 'MODELRUN_INBOX_SECRET'

/**
 * Makes urls as `createInbox` of `modelrun/webhooks` makes them, where its secret is in `MODELRUN_INBOX_SECRET`: such an inbox
 * rejects every other url.
 *
 * @throws UsageError
 */
export async function createCallbackUrls(receiver: Receiver, { env }: CliContext): Promise<CallbackUrls> {
  const { forwardTo, publicUrl = forwardTo } = receiver
  const text = env[SECRET]
  if (!text) {
    if (receiver.publicUrl !== undefined) throw new UsageError(`--public-url needs the variable ${SECRET}.`)
    const advice = `If the receiver is an inbox with a secret, set the variable ${SECRET} to it.`
    return { create: async () => forwardTo, advice }
  }
  const { createInbox } = await import('modelrun/webhooks')
  try {
    const url = publicUrl === 'none' ? undefined : publicUrl
    // The receiver is one of the user: the inbox itself decides where it is strict.
    const inbox = createInbox({ secret: readSecret(text), publicUrl: url, allowHttp: true })
    await inbox.callbackUrl(forwardTo)
    return { create: () => inbox.callbackUrl(forwardTo), advice: adviceFor(url) }
  } catch (error) {
    if (!isClientError(error)) throw error
    throw new UsageError(`Deliveries cannot be signed with ${SECRET}. ${error.message}`)
  }
}

function adviceFor(publicUrl: string | undefined): string {
  const expected = publicUrl === undefined ? 'no `publicUrl`' : `the \`publicUrl\` ${publicUrl}`
  return (
    `An inbox takes a delivery when ${SECRET} is its \`secret\`, and when it has ${expected}: ` +
    'otherwise pass its own with --public-url <url>, or none. ' +
    'Jobs that the receiver itself starts with `webhook: inbox` have a url of their own: the inbox polls those.'
  )
}

/** One secret, or several by id as a JSON object, of which the first signs. */
function readSecret(text: string): string | Record<string, string> {
  if (!text.startsWith('{')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
