import type { CliContext } from '../cli-context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { createService } from '../service/create-client.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type Check, problem } from './check.ts'
import { localChecks } from './local-checks.ts'
import { serviceChecks } from './service-checks.ts'

/** Checks everything that a run needs, and prints a line for each. */
export async function runDoctor(options: ServiceOptions, context: CliContext): Promise<ExitCode> {
  const local = await localChecks(options, context)
  for (const check of local) print(check, context.terminal)
  const canCall = local.every(({ name, state }) => state !== 'problem' || (name !== 'key' && name !== 'url'))
  const remote = canCall ? await callService(options, context) : []
  for (const check of remote) print(check, context.terminal)
  return [...local, ...remote].some(({ state }) => state === 'problem') ? EXIT.failed : EXIT.done
}

async function callService(options: ServiceOptions, context: CliContext): Promise<Check[]> {
  try {
    const { client } = await createService(options, context)
    return await serviceChecks(client)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return [problem('settings', error.message)]
  }
}

const MARKS = { ok: '✓', problem: '✗', skipped: '–' } as const
const COLOURS = { ok: 'green', problem: 'red', skipped: 'dim' } as const

function print(check: Check, terminal: Terminal): void {
  terminal.event('check', check)
  const { name, state, text } = check
  terminal.print(`${terminal.style(COLOURS[state], MARKS[state])} ${name.padEnd(12)} ${text}`)
}
