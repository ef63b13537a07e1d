import { type Answer, isFault } from '../faults/fault.ts'
import { HINT_HEADER, hintFor } from '../hints/hint-for.ts'
import { foreignLiveKey } from '../hints/key-hints.ts'
import { pathHints } from '../hints/path-hints.ts'
import { redactText } from '../history/journal/redact.ts'
import type { RequestFacts } from '../history/journal/request-record.ts'
import type { Service } from '../service/service.ts'
import type { AppEnv } from './app-env.ts'
import { errorResponses } from './error-responses.ts'
import { JsonResponse } from './json-response.ts'
import { addRequestId } from './request-id.ts'
import { warn } from './warn.ts'

/** A request that was answered, when it began, and what is known of it. */
export interface Exchange {
  request: Request
  env: AppEnv['Bindings']
  /** On the server's clock. */
  at: number
  beganAs: number
}

const LIVE_KEY_WARNING =
  'A live key that this server did not make was sent to it. If it is one of production, it has left its home: replace it.'

/** Checks the books, gives the answer its hint and its id, and notes in the journal, the coverage and the log what happened. */
export function conclude(service: Service, exchange: Exchange, given: Answer): Answer {
  const { observer } = service
  const violations = observer.newViolations()
  const answer = violations.length === 0 ? given : errorResponses.internal(violations.join('\n'))
  const { env, beganAs } = exchange
  const { trace, struck } = env
  const code = codeOf(answer)
  const hint = addHint(service, exchange, { answer, code })
  const facts = factsOf(service, exchange, { answer, code, hint })
  const account = trace.apiKey?.account ?? trace.job?.account ?? null
  observer.answered({ facts, account, job: trace.job, faultKind: struck?.kind, beganAs })
  if (trace.route === undefined && (facts.status === 404 || facts.status === 405)) {
    const [meant] = pathHints({ service, request: exchange.request, trace, status: facts.status, code }).slice(-1)
    observer.unmatched.add(account, { method: facts.method, path: pathOf(facts), status: facts.status, hint: meant })
  }
  observer.log(() => lineOf(facts))
  return trace.route === 'control' ? answer : addRequestId(service, answer)
}

interface Told {
  answer: Answer
  code: string | undefined
}

function addHint(service: Service, { request, env }: Exchange, { answer, code }: Told): string | undefined {
  const { trace, struck } = env
  if (isFault(answer)) return undefined
  if (foreignLiveKey({ service, request, trace })) warn(service, trace, LIVE_KEY_WARNING)
  const { status } = answer
  const hint = struck ? `Made by ${struck.id} (${struck.kind}).` : hintFor({ service, request, trace, status, code })
  if (hint !== undefined) answer.headers.set(HINT_HEADER, hint)
  return hint
}

function factsOf(
  service: Service,
  { request, env, at }: Exchange,
  told: Told & { hint: string | undefined },
): RequestFacts {
  const { trace, struck } = env
  const { answer, code, hint } = told
  return {
    at,
    durationMs: service.clock.now() - at,
    key: trace.apiKey?.key,
    method: request.method,
    url: request.url,
    route: trace.route,
    status: isFault(answer) ? undefined : answer.status,
    jobStatus: trace.jobStatus,
    code,
    job_id: trace.job?.id,
    requestBody: trace.requestBody,
    // What the control API says is about the journal, and not for it.
    responseBody: answer instanceof JsonResponse && trace.route !== 'control' ? answer.shownBody : undefined,
    hint,
    fault: struck && `${struck.kind} (${struck.id})`,
  }
}

function codeOf(answer: Answer): string | undefined {
  if (!(answer instanceof JsonResponse) || answer.status < 400) return undefined
  return /"code":"(\w+)"/.exec(answer.shownBody)?.[1]
}

/** Without the query: it may hold a key. */
function pathOf({ url }: RequestFacts): string {
  return redactText(new URL(url).pathname)
}

function lineOf(facts: RequestFacts): string {
  const { method, status, fault, durationMs, hint } = facts
  const parts = [
    method,
    pathOf(facts),
    status,
    fault && `fault ${fault}`,
    `${Math.round(durationMs)} ms`,
    hint && `(${hint})`,
  ]
  return parts.filter((part) => part !== undefined).join(' ')
}
