import type { ApiResponse } from '../http/api-response.ts'
import { at } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import type { RunKind } from '../plan/targets.ts'
import { MOST_REPEATS } from './attempts.ts'
import { jobStatus, type PolledJob } from './jobs.ts'
import type { Session } from './session.ts'

/** A run with its job, if it was polled. */
interface Attempt {
  response: ApiResponse
  polled?: PolledJob | undefined
}

/**
 * Does `attempt` again when the provider failed, as it may in any run (sections 3 and 7) but that of the failing model.
 *
 * @throws BlockedError when it keeps failing
 */
export async function unlessProviderFails<Run extends Attempt>(
  session: Session,
  kind: RunKind,
  attempt: () => Promise<Run>,
): Promise<Run> {
  if (kind === 'failing') return attempt()
  for (let repeats = 0; ; repeats++) {
    const run = await attempt()
    const failure = failureOf(run)
    session.attempts.add(kind, failure !== undefined)
    if (failure === undefined) return run
    if (repeats === MOST_REPEATS || !session.attempts.takeRepeat(kind))
      throw new BlockedError('the provider failed', failure)
  }
}

/** The response that says that the provider failed. */
function failureOf({ response, polled }: Attempt): ApiResponse | undefined {
  const saysSo = (one: ApiResponse, pointer: string) => at(one.json, `${pointer}/error/code`) === 'PROVIDER_FAILURE'
  if (polled !== undefined && jobStatus(polled.last) === 'failed' && saysSo(polled.last, '/data')) return polled.last
  return saysSo(response, '') ? response : undefined
}
