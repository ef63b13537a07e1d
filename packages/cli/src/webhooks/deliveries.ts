import { messageWithCause, tryParseJson } from '@modelrun/kit'
import { type DeliveryBody, type DeliveryResponse, deliver } from 'modelrun/webhooks/testing'
import type { CliContext } from '../context.ts'
import { isClientError, UsageError } from '../errors.ts'
import type { ReceiverOptions } from '../options.ts'

const SECRET = 'MODELRUN_INBOX_SECRET'

const ADVICE =
  `HTTP 401: an inbox with a secret takes a delivery when ${SECRET} is its \`secret\`, and when --public-url is its \`publicUrl\`, ` +
  'or none. Jobs that the receiver itself starts with `webhook: inbox` have a url of their own: the inbox polls those.'

/**
 * Makes the url of a delivery, as `createInbox` of `modelrun/webhooks` makes them, where its secret is in `MODELRUN_INBOX_SECRET`:
 * such an inbox rejects every other url. A token is for one job.
 *
 * @throws UsageError
 */
async function urlFactory(receiver: ReceiverOptions, { env }: CliContext): Promise<() => Promise<string>> {
  const { forwardTo, publicUrl = forwardTo } = receiver
  const text = env[SECRET]
  if (!text) return async () => forwardTo
  // Several by id are a JSON object, of which the first signs. The inbox checks what is in it.
  const several = text.startsWith('{') ? (tryParseJson(text) as Record<string, string> | undefined) : undefined
  const { createInbox } = await import('modelrun/webhooks')
  try {
    const inbox = createInbox({
      secret: several ?? text,
      publicUrl: publicUrl === 'none' ? undefined : publicUrl,
      // The receiver is one of the user: the inbox itself decides where it is strict.
      allowHttp: true,
    })
    await inbox.callbackUrl(forwardTo)
    return () => inbox.callbackUrl(forwardTo)
  } catch (error) {
    if (!isClientError(error)) throw error
    throw new UsageError(`Deliveries cannot be signed with ${SECRET}. ${error.message}`)
  }
}

/** Posts the delivery of a job and its duplicates, says what the receiver responded, and resolves to whether it took all. */
export type PostDelivery = (body: DeliveryBody) => Promise<boolean>

/** Posts deliveries as the service does. @throws UsageError */
export async function createPoster(receiver: ReceiverOptions, context: CliContext): Promise<PostDelivery> {
  const { terminal } = context
  const createUrl = await urlFactory(receiver, context)
  let hasAdvised = false

  async function post(url: string, body: DeliveryBody): Promise<boolean> {
    // As long as the service waits (section 6, rule 1).
    const send = (request: Request) => fetch(request, { signal: AbortSignal.timeout(10_000) })
    const [response] = await deliver(send, { url, events: body })
    if (response === undefined) return false
    const { isDelivered, status, durationMs } = response
    const { job_id, status: event } = body
    const duration_ms = Math.round(durationMs)
    terminal.event('delivery', { job_id, event, delivered: isDelivered, http_status: status, duration_ms })
    const mark = isDelivered ? ({ style: 'green', text: '✓' } as const) : ({ style: 'red', text: '✗' } as const)
    terminal.print([mark, ` ${job_id} ${event}: ${responseText(response)}`])
    if (status === 401 && !hasAdvised) terminal.say(ADVICE)
    hasAdvised ||= status === 401
    return isDelivered
  }

  return async (body) => {
    const url = await createUrl()
    const copies = Array.from({ length: receiver.duplicate + 1 }, () => post(url, body))
    return (await Promise.all(copies)).every(Boolean)
  }
}

function responseText({ status, error, isDelivered, durationMs }: DeliveryResponse): string {
  const time = `in ${Math.round(durationMs)} ms`
  // The cause names the port that is closed.
  if (status === undefined) return `no response ${time}: ${messageWithCause(error)}`
  if (isDelivered) return `HTTP ${status} ${time}`
  return `HTTP ${status} ${time}. The service would not send it again: respond with 2xx within 10 s.`
}
