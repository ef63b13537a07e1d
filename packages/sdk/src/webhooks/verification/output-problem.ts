import type { InboxCore } from '../inbox-core.ts'
import { checkOutputUrls } from '../output-urls.ts'
import type { WebhookEvent } from '../webhook-event.ts'

/** Why no handler may get an event: `allowedOutputHosts` does not have the host of one of its files. */
export function outputProblem({ options }: InboxCore, event: WebhookEvent): string | undefined {
  const { allowedOutputHosts: allowedHosts } = options
  const [found] = allowedHosts === undefined ? [] : checkOutputUrls(withOutput(event), { allowedHosts })
  return found && `The URL of item ${found.index} of the output must not be fetched: ${found.problem}.`
}

/** An event of unknown status can have an output all the same. */
function withOutput(event: WebhookEvent): WebhookEvent {
  if (event.status !== 'unknown') return event
  const { items } = Object(event.payload.output) as { items?: unknown }
  if (!Array.isArray(items)) return event
  const linked = items.filter((item) => Object(item).url !== undefined)
  return { job_id: event.job_id, status: 'succeeded', output: { type: 'unknown', items: linked } }
}
