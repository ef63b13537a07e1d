import type { Service } from '../service/service.ts'
import type { RequestTrace } from './request-trace.ts'

/** Says something in the hint of the answer, in the log and in the journal. */
export function warn({ observer }: Service, trace: RequestTrace, text: string): void {
  observer.warn(`warning: ${text}`, trace.apiKey?.account ?? null)
  trace.hints = [...(trace.hints ?? []), text]
}
