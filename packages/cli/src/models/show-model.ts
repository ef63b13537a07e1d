import type { CliContext } from '../cli-context.ts'
import type { ExitCode } from '../exit-codes.ts'
import { createModelOptions } from '../run/model-options.ts'
import { createService } from '../service/create-client.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { modelLines } from './model-lines.ts'
import { readModel } from './read-model.ts'

/** Prints a model: its parameters with defaults and bounds, its price, and example calls. */
export async function showModel(
  id: string,
  options: ServiceOptions,
  context: CliContext,
): Promise<ExitCode | undefined> {
  const { client } = await createService(options, context)
  const model = await readModel(client, id)
  const { terminal } = context
  terminal.event('model', { model })
  for (const line of modelLines(model, createModelOptions(model).parameters, terminal)) terminal.print(line)
  return undefined
}
