import type { ModelSummary } from 'modelrun'
import { type CommandContext, EXIT, type ExitCode } from '../context.ts'
import type { ServiceOptions } from '../options.ts'
import { createModelCommand } from '../run/run-arguments.ts'
import { createService } from '../service/service.ts'
import { readModel } from './read-model.ts'

export interface ModelsOptions extends ServiceOptions {
  search?: string | undefined
  category?: string | undefined
}

export async function listModels(_: [], options: ModelsOptions, context: CommandContext): Promise<ExitCode> {
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
  const rows = models.map(({ id, pricing: { credits_per_run }, category, description }) => [
    id,
    String(credits_per_run),
    category,
    description,
  ])
  await terminal.printTable([['ID', 'CREDITS', 'CATEGORY', 'DESCRIPTION'], ...rows])
  return EXIT.done
}

/** Prints a model as the help of its runs does: its parameters with defaults and bounds, and its price. */
export async function showModel([id]: [string], options: ServiceOptions, context: CommandContext): Promise<ExitCode> {
  const { client } = await createService(options, context)
  const model = await readModel(client, id)
  context.terminal.event('model', { model })
  const { terminal, command } = context
  if (!terminal.json) createModelCommand(model).command.copyInheritedSettings(command).outputHelp()
  return EXIT.done
}
