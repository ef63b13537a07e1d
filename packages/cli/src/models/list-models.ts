import type { ModelSummary } from 'modelrun'
import type { CliContext } from '../cli-context.ts'
import type { ExitCode } from '../exit-codes.ts'
import { createService } from '../service/create-client.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { cleanText } from '../terminal/clean-text.ts'
import { tableLines } from '../terminal/table.ts'

/** Options of `modelrun models`. */
export interface ModelsOptions extends ServiceOptions {
  search?: string | undefined
  category?: string | undefined
}

/** Prints every model that matches, in the order of the service. */
export async function listModels(options: ModelsOptions, context: CliContext): Promise<ExitCode | undefined> {
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
    return undefined
  }
  const [heading = '', ...lines] = tableLines([HEADING, ...models.map(rowOf)], terminal.columns)
  terminal.print(terminal.style('bold', heading))
  for (const line of lines) terminal.print(line)
  return undefined
}

const HEADING = ['ID', 'CREDITS', 'CATEGORY', 'DESCRIPTION']

function rowOf({ id, pricing, category, description }: ModelSummary): string[] {
  return [cleanText(id), String(pricing.credits_per_run), cleanText(category), cleanText(description)]
}
