import { ConfigurationError } from '../errors/local-errors.ts'

/** Where log lines go; `console` fits. */
export interface Logger {
  /** Gets each HTTP attempt, with the log level `debug`. */
  debug(message: string): void
  /** Gets what is worth knowing in normal operation. */
  info(message: string): void
  /** Gets what may need attention; nothing is lost yet. */
  warn(message: string): void
  /** Gets what failed. */
  error(message: string): void
}

const LEVELS = ['off', 'error', 'warn', 'info', 'debug'] as const

/** How much is logged: `warn` for what needs a look, `info` for retries, `debug` for one line per HTTP attempt. */
export type LogLevel = (typeof LEVELS)[number]

/** A logger with a level. Ask `isOn` before a line that costs something to make. */
export interface Log extends Logger {
  isOn(level: keyof Logger): boolean
}

/** A logger that leaves out what is below a level. @throws ConfigurationError when there is no such level */
export function createLog(logger: Logger, level: string): Log {
  const rank = (LEVELS as readonly string[]).indexOf(level)
  if (rank === -1) {
    throw new ConfigurationError({
      message: `The log level must be one of ${LEVELS.join(', ')}, not ${JSON.stringify(level)}: look at \`logLevel\` and MODELRUN_LOG.`,
    })
  }
  const isOn = (name: keyof Logger) => LEVELS.indexOf(name) <= rank
  const at = (name: keyof Logger) => (isOn(name) ? (message: string) => write(logger, name, message) : () => {})
  return { isOn, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** A log that cannot be written must not cost the answer to a run that was paid for. */
function write(logger: Logger, name: keyof Logger, message: string): void {
  try {
    logger[name](`modelrun: ${message}`)
  } catch {
    // There is no other place to tell it.
  }
}
