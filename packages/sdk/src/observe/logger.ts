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

/** A logger that throws must not lose the response to a run that was paid for. */
function write(logger: Logger, name: keyof Logger, message: string): void {
  try {
    logger[name](`modelrun: ${message}`)
  } catch {
    // There is no other place to report the failure.
  }
}
