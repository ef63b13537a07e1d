import { exec } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { ConfigurationError, cleanText, isLoopback, toUrl } from '@modelrun/kit'
import manifest from '../../package.json' with { type: 'json' }
import { createClock } from '../clock.ts'
import { CannotStartError } from '../options.ts'
import { type CheckResult, isConformant } from '../report.ts'
import { formatReport } from '../reports/format-report.ts'
import { runConformance } from '../run-conformance.ts'
import { type CheckCommand, readCommand } from './cli-options.ts'
import { type ListeningReceiver, receiveWebhooks } from './receive-webhooks.ts'

async function main(args: readonly string[]): Promise<number> {
  const command = readCommand(args, process.env)
  if (command.kind === 'check') return runChecks(command)
  return print(command.kind === 'help' ? command.text : manifest.version)
}

async function runChecks(command: CheckCommand): Promise<number> {
  const { kind: _, webhookUrl: __, webhookPort: ___, timeScale, jobMs, reports, quiet, ...given } = command
  const { readCreditsCommand, ...options } = given
  const readCredits = readCreditsCommand === undefined ? undefined : () => printedCredits(readCreditsCommand)
  // A command that does not work is noticed before anything is paid.
  await readCredits?.()
  const receiver = await openReceiver(command)
  try {
    const report = await runConformance({
      ...options,
      receiver,
      readCredits,
      clock: createClock(timeScale),
      limits: { jobMs },
      ...(quiet ? {} : { onResult: showResults(), onProgress: (sentence) => say(sentence, '...  ') }),
    })
    const requested = reports.length > 0 ? reports : [{ format: 'text', path: undefined } as const]
    const written = requested.map(({ format, path }) => write(formatReport(report, format), path))
    if (written.includes(false)) return 2
    return isConformant(report) ? 0 : 1
  } finally {
    await receiver?.close()
  }
}

/** The number that a command prints. */
async function printedCredits(command: string): Promise<number> {
  const { stdout } = await promisify(exec)(command).catch((error: unknown) => {
    throw new CannotStartError(`--read-credits-command failed: ${reasonOf(error)}`)
  })
  const printed = stdout.trim()
  if (printed !== '' && Number.isFinite(Number(printed))) return Number(printed)
  throw new CannotStartError(`--read-credits-command must print a number, not ${JSON.stringify(printed.slice(0, 60))}.`)
}

/** Deliveries reach a port of this machine from a service on this machine, or through a public URL that forwards to it. */
async function openReceiver({ baseUrl, allowRuns, webhookUrl, webhookPort }: CheckCommand) {
  const isOnThisMachine = isLoopback(toUrl(baseUrl)?.hostname ?? '')
  const isRequested = webhookUrl !== undefined || webhookPort !== undefined || isOnThisMachine
  if (!allowRuns || !isRequested) return undefined
  return receiveWebhooks({ port: webhookPort, publicUrl: webhookUrl }).catch((error): ListeningReceiver => {
    throw new CannotStartError(`The port for webhooks cannot be bound: ${reasonOf(error)}.`)
  })
}

const MARKS = { pass: 'ok  ', fail: 'FAIL', observed: 'note', skipped: 'skip' } as const

/** Checks that are skipped for one reason are one line. */
function showResults(): (result: CheckResult) => void {
  const reasons = new Set<string>()
  return ({ verdict, check, detail }) => {
    if (verdict === 'skipped' && reasons.has(detail)) return
    if (verdict === 'skipped') reasons.add(detail)
    say(`${check}${verdict === 'pass' ? '' : `: ${detail}`}`, `${MARKS[verdict]} `)
  }
}

/** Whether a report was written: one that cannot be must not cost the others, which were paid for. */
function write(text: string, path: string | undefined): boolean {
  try {
    if (path === undefined) process.stdout.write(text)
    else writeFileSync(path, text)
    return true
  } catch (error) {
    say(`The report ${path} cannot be written: ${reasonOf(error)}.`)
    return false
  }
}

function reasonOf(error: unknown): unknown {
  return error instanceof Error ? error.message : error
}

/** Whether the user can do something about an error: it is not a defect. */
function isMistake(error: unknown): error is Error {
  return error instanceof CannotStartError || error instanceof ConfigurationError
}

function say(message: string, mark = 'modelrun-conformance: '): void {
  process.stderr.write(`${mark}${cleanText(message)}\n`)
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

/** A reader that went away, as in `modelrun-conformance | head -1`, does not stop the suite. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

process.stdout.on('error', ignoreBrokenPipe)
process.stderr.on('error', ignoreBrokenPipe)

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  say(isMistake(error) ? error.message : `It has a defect. ${error instanceof Error ? error.stack : error}`)
  process.exitCode = 2
}
