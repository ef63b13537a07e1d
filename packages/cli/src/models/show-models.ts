import type { Command } from 'commander'
import type { ModelSummary } from 'modelrun'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import type { ServiceOptions } from '../options.ts'
import { createModelCommand } from '../run/run-arguments.ts'
import { createService } from '../service/service.ts'
import { cleanText } from '../terminal/text.ts'
import { readModel } from './read-model.ts'

/** Options of `modelrun models`. */
export interface ModelsOptions extends ServiceOptions {
  search?: string | undefined
  category?: string | undefined
}

/** Prints every model that matches, in the order of the service. */
export async function listModels(options: ModelsOptions, context: CliContext): Promise<ExitCode> {
  const { client } = await createService(options, context)
  const { search, category } = options
  const { terminal } = context
  const models: ModelSummary[] = []
  for await (const model of client.models.list({ search, category, limit: 100 })) {
    models.push(model)
    terminal.event('model', { model })
  }
  if (models.length === 0) {
    terminal.say('No model matches. `modelrun models` without --search and --category lists all of them.')
    return EXIT.done
  }
  const rows = models.map(({ id, pricing: { credits_per_run }, category, description }) =>
    [id, String(credits_per_run), category, description].map(cleanText),
  )
  terminal.printTable([['ID', 'CREDITS', 'CATEGORY', 'DESCRIPTION'], ...rows])
  return EXIT.done
}

/** Prints a model as the help of its runs does: its parameters with defaults and bounds, its price, and example calls. */
export async function showModel(
  ...[id, options, context, command]: [string, ServiceOptions, CliContext, Command]
): Promise<ExitCode> {
  const { client } = await createService(options, context)
  const model = await readModel(client, id)
  context.terminal.event('model', { model })
  if (!context.terminal.json) createModelCommand(model).command.copyInheritedSettings(command).outputHelp()
  return EXIT.done
}
