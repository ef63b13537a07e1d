import { CommanderError } from 'commander'
import type { ModelRunError } from 'modelrun'
import { type CliContext, EXIT, type ExitCode } from './context.ts'
import { CommandError, isClientError, jobCommand, messageOf } from './errors.ts'
import { shellWord } from './terminal/text.ts'

/** Says what went wrong, on standard error, and with `--json` on standard output too. Returns the exit code. */
export function reportError(error: unknown, { terminal }: CliContext): ExitCode {
  terminal.status('')
  const { exitCode, code, message, details = [], facts } = describeError(error)
  terminal.event('error', { code, message: [message, ...details].join('\n'), ...facts, exit_code: exitCode })
  terminal.say([{ style: 'red', text: 'modelrun:' }, ' ', message], details)
  return exitCode
}

interface DescribedError {
  exitCode: ExitCode
  code: string
  message: string
  details?: readonly string[]
  facts?: object
}

function describeError(error: unknown): DescribedError {
  if (error instanceof CommandError) return error
  if (error instanceof CommanderError) return { exitCode: EXIT.usage, code: 'usage', message: usageText(error) }
  if (isClientError(error)) return describeClientError(error)
  // Of the system, such as a full disk: its message names the file.
  if (error instanceof Error && 'syscall' in error)
    return { exitCode: EXIT.failed, code: 'system', message: `${error.message}.` }
  // One of the command itself: where it is helps to repair it.
  const stack = error instanceof Error ? String(error.stack).split('\n').slice(1) : []
  return { exitCode: EXIT.failed, code: 'internal', message: messageOf(error), details: stack }
}

const KEY_ADVICE =
  'A key in an argument is seen by every user of the machine. Set MODELRUN_API_KEY, name a file: --api-key-file <file>, or use modelrun login.'

function usageText({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'name a command. `modelrun --help` lists them.'
  const text = message
    .replace(/^error: /, '')
    .replace(/\n\((.*)\)$/, '. $1')
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*)'/s, '$1 is not a value of <$2>')
  if (/^unknown option '--(api-)?key\b/.test(text)) return KEY_ADVICE
  // What was probably meant says enough.
  if (text.endsWith('?')) return text
  return `${text}${text.endsWith('.') ? '' : '.'} \`--help\` after the command lists its options.`
}

function describeClientError(error: ModelRunError): DescribedError {
  const { code, submission, jobId, requestId, status } = error
  const facts = { submission, job_id: jobId, request_id: requestId, status }
  const isTimeout = code === 'deadline_exceeded' && jobId !== undefined
  const message = isTimeout ? `stopped waiting, as --timeout says. ${followAdvice(jobId)}` : messageOf(error)
  return { exitCode: exitCodeOf(error), code, message, facts }
}

/** How to wait for a job again, or to end it. */
export function followAdvice(jobId: string): string {
  return `The job continues, and may be charged. Follow it with: ${jobCommand(jobId)} --watch. Cancel it with: modelrun cancel ${shellWord(jobId)}`
}

/** The exit code of an error of the client: "am I charged?" as a number. */
function exitCodeOf({ code, submission }: ModelRunError): ExitCode {
  if (code === 'job_failed' || code === 'job_cancelled') return EXIT.failed
  if (submission === 'not_sent' && (code === 'configuration' || code === 'input_validation')) return EXIT.usage
  // So is a job that the service does not show, or does not cancel: it may be charged.
  return submission === 'unknown' || submission === 'accepted' ? EXIT.unknown : EXIT.rejected
}
