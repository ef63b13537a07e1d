import { exec } from 'node:child_process'
import { appendFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ConfigurationError, cleanText, isLoopback, messageWithCause, toUrl } from '@modelrun/kit'
import { CommanderError } from 'commander'
import { createClock } from '../clock.ts'
import { formatReport } from '../format-report.ts'
import { CannotStartError } from '../options.ts'
import { runConformance } from '../run-conformance.ts'
import { type CheckCommand, describeProblem, readCommand } from './cli-options.ts'
import { receiveWebhooks } from './receive-webhooks.ts'

async function runChecks(command: CheckCommand): Promise<number> {
  const { readCreditsCommand, json } = command
  const readCredits = readCreditsCommand === undefined ? undefined : () => printedCredits(readCreditsCommand)
  // What does not work is noticed before anything is paid.
  await readCredits?.()
  const cannotWrite = stop(`The report ${json} cannot be written`)
  if (json !== undefined) await appendFile(json, '').catch(cannotWrite)
  const receiver = await openReceiver(command)
  try {
    const report = await runConformance({
      ...command.options,
      receiver,
      readCredits,
      clock: createClock(command.timeScale),
      onProgress: (sentence) => say(sentence, '...  '),
    })
    process.stdout.write(formatReport(report))
    if (json !== undefined) await writeFile(json, `${JSON.stringify(report, undefined, 2)}\n`).catch(cannotWrite)
    return report.summary.fail === 0 ? 0 : 1
  } finally {
    await receiver?.close()
  }
}

async function printedCredits(command: string): Promise<number> {
  const { stdout } = await promisify(exec)(command, { timeout: 60_000 }).catch(stop('--read-credits-command failed'))
  const printed = stdout.trim()
  if (printed !== '' && Number.isFinite(Number(printed))) return Number(printed)
  throw new CannotStartError(`--read-credits-command must print a number, not ${JSON.stringify(printed.slice(0, 60))}.`)
}

/** Deliveries reach a port of this machine from a service on this machine, or through a public URL that forwards to it. */
async function openReceiver({ options, webhookUrl, webhookPort }: CheckCommand) {
  const isOnThisMachine = isLoopback(toUrl(options.baseUrl)?.hostname ?? '')
  const isRequested = webhookUrl !== undefined || webhookPort !== undefined || isOnThisMachine
  if (!options.allowRuns || !isRequested) return undefined
  return receiveWebhooks({ port: webhookPort, publicUrl: webhookUrl }).catch(stop('No port for webhooks can be bound'))
}

function stop(sentence: string): (error: unknown) => never {
  return (error) => {
    throw new CannotStartError(`${sentence}: ${messageWithCause(error)}.`)
  }
}

function say(message: string, mark = 'modelrun-conformance: '): void {
  process.stderr.write(`${mark}${cleanText(message)}\n`)
}

// A reader that went away, as in `modelrun-conformance | head -1`, does not stop the suite.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

try {
  process.exitCode = await runChecks(readCommand(process.argv.slice(2), process.env))
} catch (error) {
  const isHelp = error instanceof CommanderError
  // The user can do something about these. Anything else is a defect.
  const isMistake = error instanceof CannotStartError || error instanceof ConfigurationError
  if (isMistake) say(describeProblem(error))
  else if (!isHelp) say(`It has a defect. ${error instanceof Error ? error.stack : error}`)
  process.exitCode = isHelp ? 0 : 2
}
