import { cleanText, nodeBuiltin, replaceApiKeys, shorten, watch } from '@modelrun/kit'

/** Receives log lines. `console` fits. */
export interface Logger {
  /** Gets each HTTP attempt, with the log level `debug`. */
  debug(message: string): void
  /** Gets events of normal operation, such as retries. */
  info(message: string): void
  /** Gets problems that may need attention. Nothing is lost. */
  warn(message: string): void
  /** Gets failures. */
  error(message: string): void
}

/** The levels, from nothing to all. */
export const LOG_LEVELS = ['off', 'error', 'warn', 'info', 'debug'] as const

/** How much is logged: `warn` for problems, `info` for retries, `debug` for one line per HTTP attempt. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** A logger with a level. Ask `isOn` before a line that costs something to make. */
export interface Log extends Logger {
  isOn(level: keyof Logger): boolean
}

/** A logger without the lines below a level. */
export function createLog(logger: Logger, level: LogLevel): Log {
  const rank = LOG_LEVELS.indexOf(level)
  const isOn = (name: keyof Logger) => LOG_LEVELS.indexOf(name) <= rank
  const at = (name: keyof Logger) => (isOn(name) ? (message: string) => write(logger, name, message) : () => {})
  return { isOn, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/**
 * The place of every line. The service, and errors of callbacks, may say anything: one line stays one line, without what controls a
 * terminal and without API keys. A logger that throws or rejects must not lose the response to a run that was paid for.
 */
function write(logger: Logger, name: keyof Logger, message: string): void {
  const line = shorten(cleanText(replaceApiKeys(message, () => '[redacted]')))
  // There is no other place to report the failure.
  watch(
    () => logger[name](`modelrun: ${line}`),
    () => {},
  )
}

/** What was thrown, as a text. Never throws: what callers throw may have no text. */
export function textOf(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return 'something without a text was thrown'
  }
}

/** One HTTP attempt, for logs and diagnostics. Holds no header and no body. */
export interface AttemptEvent {
  /** HTTP method. */
  method: string
  /** Path of the request, without query. */
  path: string
  /** 1 for the first attempt of a call. */
  attempt: number
  /** HTTP status, when there was a response. */
  status?: number | undefined
  /** Why the attempt did not succeed; undefined when it did. */
  reason?: string | undefined
  /** Milliseconds from the start of the request until it succeeded or failed. */
  durationMs: number
  /** The service's id of the request. */
  requestId?: string | undefined
  /** Milliseconds until the next attempt; undefined when there is none. */
  delayMs?: number | undefined
}

/** Name of Node's diagnostics channel that gets an {@link AttemptEvent} for each HTTP attempt. */
export const ATTEMPT_CHANNEL = 'modelrun:attempt'

/** Reports attempts to the log and to Node's diagnostics channel. Costs next to nothing without a listener. */
export function createAttemptObserver(log: Log): (event: AttemptEvent) => void {
  const channel = nodeBuiltin('node:diagnostics_channel')?.channel(ATTEMPT_CHANNEL)
  return (event) => {
    const level = event.delayMs === undefined ? 'debug' : 'info'
    if (log.isOn(level)) log[level](describeAttempt(event))
    if (channel?.hasSubscribers) channel.publish(event)
  }
}

function describeAttempt(event: AttemptEvent): string {
  const { method, path, attempt, status, durationMs, requestId, delayMs } = event
  const { reason = `HTTP ${status}` } = event
  const request = requestId === undefined ? '' : `, request ${requestId}`
  const next = delayMs === undefined ? '' : `, again in ${Math.round(delayMs)} ms`
  return `${method} ${path}: ${reason} in ${Math.round(durationMs)} ms (attempt ${attempt}${request}${next})`
}

/** Calls a callback of the caller. When it throws or rejects, the failure is logged and the run continues. */
export function notify(log: Log, name: string, callback: () => unknown): void {
  watch(callback, (error) => log.warn(`the callback \`${name}\` failed; its run is not affected: ${textOf(error)}`))
}

/** Name of Node's tracing channel for the calls that run a model or wait for a job. */
export const CALL_CHANNEL = 'modelrun:call'

/** A call from its start to its end, as the tracing channel has it. Holds no input. */
export interface CallEvent {
  /** `run`: to the end of the job. `submit`: until there is a job. `wait`: for a job that exists. */
  operation: 'run' | 'submit' | 'wait'
  baseUrl: string
  model?: string | undefined
  jobId?: string | undefined
  /** What the call resolved with, once it did. */
  result?: unknown
  /** Why it failed, once it did. */
  error?: unknown
}

/** Does a call once. Who listens to the channel learns of its start and its end. */
export type TraceCall = <T>(call: Omit<CallEvent, 'baseUrl'>, work: () => Promise<T>) => Promise<T>

/** Costs next to nothing without a listener, and where Node's channels do not exist. */
export function createCallTracer(baseUrl: string): TraceCall {
  const channel = nodeBuiltin('node:diagnostics_channel')?.tracingChannel?.<unknown, CallEvent>(CALL_CHANNEL)
  return (call, work) => (channel?.hasSubscribers ? channel.tracePromise(work, { ...call, baseUrl }) : work())
}
