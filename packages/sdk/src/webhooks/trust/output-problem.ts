import type { InboxCore } from '../inbox-core.ts'
import { checkOutputUrls } from '../output-urls.ts'
import type { WebhookEvent } from '../webhook-event.ts'

/** Why no handler may get an event: `allowedOutputHosts` does not have the host of one of its files. */
export function outputProblem({ options }: InboxCore, event: WebhookEvent): string | undefined {
  const { allowedOutputHosts: allowedHosts } = options
  const [found] = allowedHosts === undefined ? [] : checkOutputUrls(event, { allowedHosts })
  return found && `The URL of item ${found.index} of the output must not be fetched: ${found.problem}.`
}
