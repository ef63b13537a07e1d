import { writeFile } from 'node:fs/promises'
import { ConfigurationError, isLoopback } from '@modelrun/kit'
import manifest from '../../package.json' with { type: 'json' }
import { createClock } from '../clock.ts'
import { CannotStartError } from '../options.ts'
import { type CheckResult, isConformant } from '../report.ts'
import { formatFailure, formatReport, type ReportFormat } from '../reports/format-report.ts'
import { notAppliedLine } from '../reports/report-lines.ts'
import { REQUIREMENTS } from '../requirements.ts'
import { runConformance } from '../run-conformance.ts'
import { type CheckCommand, readCommand } from './cli-options.ts'
import { type ListeningReceiver, receiveWebhooks } from './receive-webhooks.ts'

async function main(args: readonly string[]): Promise<number> {
  const command = readCommand(args, process.env)
  if (command.kind === 'check') return checkService(command)
  if (command.kind === 'help') return print(command.text)
  return print(command.kind === 'version' ? manifest.version : JSON.stringify(REQUIREMENTS, undefined, 2))
}

/** A suite that cannot start says so where its reports are expected as well. */
async function checkService(command: CheckCommand): Promise<number> {
  try {
    return await runChecks(command)
  } catch (error) {
    if (!isMistake(error)) throw error
    complain(error.message)
    await writeAll(command.reports, (format) => formatFailure(error.message, format))
    return 2
  }
}

async function runChecks(command: CheckCommand): Promise<number> {
  const receiver = await openReceiver(command)
  try {
    const { kind: _, webhookUrl: __, webhookPort: ___, timeScale, jobMs, reports, quiet, ...options } = command
    const report = await runConformance({
      ...options,
      receiver,
      clock: createClock(timeScale),
      limits: { jobMs },
      onResult: quiet ? undefined : showProgress,
    })
    // A reference server with the profile does all that was observed but what is not applied.
    const notApplied = report.notApplied.map((one) => `not in the profile: ${notAppliedLine(one)}`)
    if (!quiet) process.stderr.write([...report.advice, ...notApplied].map((hint) => `${hint}\n`).join(''))
    const requested = reports.length > 0 ? reports : [{ format: 'text', path: undefined } as const]
    const areWritten = await writeAll(requested, (format) => formatReport(report, format))
    if (!areWritten) return 2
    return isConformant(report) ? 0 : 1
  } finally {
    await receiver?.close()
  }
}

/** Deliveries reach a port of this machine from a service on this machine, or through a public URL that forwards to it. */
async function openReceiver({ baseUrl, allowRuns, webhookUrl, webhookPort }: CheckCommand) {
  const isOnThisMachine = URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname)
  const isRequested = webhookUrl !== undefined || webhookPort !== undefined || isOnThisMachine
  if (!allowRuns || !isRequested) return undefined
  return receiveWebhooks({ port: webhookPort, publicUrl: webhookUrl }).catch((error): ListeningReceiver => {
    throw new CannotStartError(`The port for webhooks cannot be bound: ${reasonOf(error)}.`)
  })
}

const MARKS = { pass: 'ok  ', fail: 'FAIL', observed: 'note', skipped: 'skip' } as const

function showProgress({ verdict, check, detail }: CheckResult): void {
  process.stderr.write(`${MARKS[verdict]} ${check}${verdict === 'pass' ? '' : `: ${detail}`}\n`)
}

/** Resolves to whether all were written: a report that cannot be must not cost the others, which were paid for. */
async function writeAll(requested: CheckCommand['reports'], textOf: (format: ReportFormat) => string) {
  const written = await Promise.all(requested.map(({ format, path }) => write(textOf(format), path)))
  return !written.includes(false)
}

async function write(text: string, path: string | undefined): Promise<boolean> {
  try {
    if (path === undefined) process.stdout.write(text)
    else await writeFile(path, text)
    return true
  } catch (error) {
    complain(`The report ${path} cannot be written: ${reasonOf(error)}.`)
    return false
  }
}

function reasonOf(error: unknown): unknown {
  return error instanceof Error ? error.message : error
}

/** Whether the user can do something about an error: it is no defect. */
function isMistake(error: unknown): error is Error {
  return error instanceof CannotStartError || error instanceof ConfigurationError
}

function complain(message: string): void {
  process.stderr.write(`modelrun-conformance: ${message}\n`)
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
  complain(isMistake(error) ? error.message : `It has a defect. ${error instanceof Error ? error.stack : error}`)
  process.exitCode = 2
}
