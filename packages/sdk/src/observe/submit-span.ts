import { ROUTES } from '@modelrun/contract'
import type { Core } from '../core.ts'
import type { AttemptEvent } from './attempt-event.ts'
import { asWord } from './describe-failure.ts'
import type { SafeSpan } from './safe-span.ts'

/** Sends a run, and takes each attempt if there is a tracer. */
type Submit<T> = (onAttempt?: (event: AttemptEvent) => void) => Promise<T>

/** Sends a run in a span that ends with the last attempt. */
export async function traceSubmit<T extends { reference: { jobId: string } }>(
  { tracing }: Pick<Core, 'tracing'>,
  model: string,
  submit: Submit<T>,
): Promise<T> {
  if (tracing === undefined) return await submit()
  const { method, path } = ROUTES.runModel
  const attributes = {
    'gen_ai.request.model': model,
    'http.request.method': method,
    'url.template': path,
    ...tracing.server,
  }
  return await tracing.inSpan({ name: 'modelrun.submit', kind: 'client', attributes }, async (span) => {
    try {
      const sent = await submit((event) => noteAttempt(span, event))
      span.set({ 'gen_ai.response.id': sent.reference.jobId })
      span.end()
      return sent
    } catch (error) {
      span.fail(error)
      throw error
    }
  })
}

function noteAttempt(span: SafeSpan, { attempt, status, reason, delayMs }: AttemptEvent): void {
  if (attempt > 1) span.set({ 'http.request.resend_count': attempt - 1 })
  if (delayMs === undefined) span.set({ 'http.response.status_code': status })
  else span.event('modelrun.retry', { 'modelrun.reason': asWord(reason), 'modelrun.delay_ms': Math.round(delayMs) })
}
