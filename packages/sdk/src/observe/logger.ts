import { ConfigurationError } from '../errors/local-errors.ts'

/** Where log lines go; `console` fits. */
export interface Logger {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

const LEVELS = ['off', 'error', 'warn', 'info', 'debug'] as const

/** How much is logged: `warn` for what needs a look, `info` for retries, `debug` for one line per HTTP attempt. */
export type LogLevel = (typeof LEVELS)[number]

/** A logger that leaves out what is below a level. @throws ConfigurationError when there is no such level */
export function createLog(logger: Logger, level: string): Logger {
  const rank = (LEVELS as readonly string[]).indexOf(level)
  if (rank === -1) {
    throw new ConfigurationError({
      message: `The log level must be one of ${LEVELS.join(', ')}, not ${JSON.stringify(level)}: look at \`logLevel\` and MODELRUN_LOG.`,
    })
  }
  const at = (name: Exclude<LogLevel, 'off'>) =>
    LEVELS.indexOf(name) <= rank ? (message: string) => write(logger, name, message) : () => {}
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** A log that cannot be written must not cost the answer to a run that was paid for. */
function write(logger: Logger, name: Exclude<LogLevel, 'off'>, message: string): void {
  try {
    logger[name](`modelrun: ${message}`)
  } catch {
    // There is no other place to tell it.
  }
}
