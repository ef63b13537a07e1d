import { messageWithCause, tryParseJson } from '@modelrun/kit'
import { type DeliveryBody, type DeliveryResponse, deliver } from 'modelrun/webhooks/testing'
import type { CliContext } from '../context.ts'
import { isClientError, UsageError } from '../errors.ts'
import type { ReceiverOptions } from '../options.ts'

/** Urls for deliveries. */
interface CallbackUrls {
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
async function createCallbackUrls(receiver: ReceiverOptions, { env }: CliContext): Promise<CallbackUrls> {
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
  const several = text.startsWith('{') ? tryParseJson(text) : undefined
  // The inbox checks what is in it.
  return (several as Record<string, string> | undefined) ?? text
}

/** Makes what posts the delivery of a job, also its duplicates, and says what the receiver responded. */
export type PrepareDelivery = (body: DeliveryBody) => Promise<() => Promise<boolean>>

/** Posts deliveries as the service does. A post resolves to whether the delivery was taken. @throws UsageError */
export async function createPoster(receiver: ReceiverOptions, context: CliContext): Promise<PrepareDelivery> {
  const { terminal } = context
  const urls = await createCallbackUrls(receiver, context)
  let hasAdvised = false

  async function post(url: string, body: DeliveryBody): Promise<boolean> {
    const [response] = await deliver(url, { events: body })
    if (response === undefined) return false
    const { isDelivered, status, durationMs } = response
    const { job_id, status: event } = body
    const duration_ms = Math.round(durationMs)
    terminal.event('delivery', { job_id, event, delivered: isDelivered, http_status: status, duration_ms })
    const mark = isDelivered ? ({ style: 'green', text: '✓' } as const) : ({ style: 'red', text: '✗' } as const)
    terminal.print([mark, ` ${job_id} ${event}: ${responseText(response)}`])
    if (status === 401 && !hasAdvised) terminal.say(`HTTP 401: ${urls.advice}`)
    hasAdvised ||= status === 401
    return isDelivered
  }

  return async (body) => {
    const url = await urls.create()
    return () => post(url, body)
  }
}

function responseText({ status, error, isDelivered, durationMs }: DeliveryResponse): string {
  const time = `in ${Math.round(durationMs)} ms`
  // The cause names the port that is closed.
  if (status === undefined) return `no response ${time}: ${messageWithCause(error)}`
  if (isDelivered) return `HTTP ${status} ${time}`
  return `HTTP ${status} ${time}. The service would not send it again: respond with 2xx within 10 s.`
}
