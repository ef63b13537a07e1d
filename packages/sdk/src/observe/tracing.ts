import type { Log } from './logger.ts'
import { known, SafeSpan, type SomeAttributes, type Span, type SpanAttributes, type Tracer } from './safe-span.ts'

/** The start of a span. */
interface SpanStart {
  name: string
  /** `client` for a call of the service, `internal` for what happens in this process. */
  kind: keyof typeof KINDS
  attributes: SomeAttributes
}

/** Makes the spans of one client. */
export interface Tracing {
  /** Where the service is, by the attributes of OpenTelemetry's conventions. */
  readonly server: SpanAttributes
  /**
   * Does work once, with a new span as the active one, and returns the result of the work. The work has to end the span.
   * The work is done exactly once, also when the tracer fails: it may be a run that costs credits.
   */
  inSpan<T>(start: SpanStart, work: (span: SafeSpan) => T): T
}

/** OpenTelemetry's numbers. */
const KINDS = { internal: 0, client: 2 } as const

/** The options of the client that traces need. */
export interface TracingOptions {
  tracer: Tracer
  log: Log
  baseUrl: string
}

export function createTracing({ tracer, log, baseUrl }: TracingOptions): Tracing {
  let hasFailed = false
  const onFault = (error: unknown) => {
    const reason = error instanceof Error ? error.message : typeof error
    if (!hasFailed) log.warn(`the tracer failed; runs are not affected. Further failures are not logged. ${reason}`)
    hasFailed = true
  }
  return {
    server: serverAt(baseUrl),
    inSpan: ({ name, kind, attributes }, work) => {
      const workInSpan = once((span?: Span) => work(new SafeSpan(span, onFault)))
      let fault: { error: unknown } | undefined
      try {
        const returned: unknown = tracer.startActiveSpan(
          name,
          { kind: KINDS[kind], attributes: known(attributes) },
          workInSpan,
        )
        // A tracer may wrap the promise of the work in its own; the rejection of that one is not needed.
        if (returned instanceof Promise) returned.catch(() => {})
      } catch (error) {
        fault = { error }
      }
      // Throws what the work threw.
      const value = workInSpan()
      if (fault !== undefined) onFault(fault.error)
      return value
    },
  }
}

/** Returns a function that does its work at the first call. Every call returns or throws the outcome of that work. */
function once<A, T>(work: (argument?: A) => T): (argument?: A) => T {
  let outcome: { value: T } | { error: unknown } | undefined
  const attempt = (argument?: A) => {
    try {
      return { value: work(argument) }
    } catch (error) {
      return { error }
    }
  }
  return (argument) => {
    outcome ??= attempt(argument)
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }
}

function serverAt(baseUrl: string): SpanAttributes {
  const { protocol, hostname, port } = new URL(baseUrl)
  const defaultPort = protocol === 'https:' ? 443 : 80
  return { 'server.address': hostname.replace(/^\[|\]$/g, ''), 'server.port': port === '' ? defaultPort : Number(port) }
}
