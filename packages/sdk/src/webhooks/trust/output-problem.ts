import type { InboxCore } from '../inbox-core.ts'
import { PermanentError } from '../inbox-errors.ts'
import { checkOutputUrls } from '../output-urls.ts'
import type { WebhookEvent } from '../webhook-event.ts'

/** Why no handler may see an event: its files are linked from a host that `allowedOutputHosts` does not name. */
export function outputProblem({ options }: InboxCore, event: WebhookEvent): PermanentError | undefined {
  const { allowedOutputHosts: allowedHosts } = options
  const [found] = allowedHosts === undefined ? [] : checkOutputUrls(event, { allowedHosts })
  if (found === undefined) return undefined
  return new PermanentError(`The address of item ${found.index} of the output must not be fetched: ${found.problem}.`)
}
