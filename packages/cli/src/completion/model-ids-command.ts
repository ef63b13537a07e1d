import { Command } from 'commander'
import type { CliContext } from '../cli-context.ts'
import { actionOf } from '../command-action.ts'
import { EXIT } from '../exit-codes.ts'
import { KnownModels } from '../models/known-models.ts'

/** What the scripts of `modelrun completion` call. */
export const MODEL_IDS_COMMAND = 'complete-model-ids'

/** A hidden command: ids of models, one a line, for the words of a command line. It calls no service. */
export function createModelIdsCommand(context: CliContext): Command {
  return new Command(MODEL_IDS_COMMAND)
    .argument('[words...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(
      actionOf(context, async (words: string[]) => {
        const baseUrl = givenUrl(words) ?? context.env.MODELRUN_BASE_URL ?? ''
        for (const id of new KnownModels(context.env, baseUrl).read()) context.terminal.write(`${id}\n`)
        return EXIT.done
      }),
    )
}

function givenUrl(words: readonly string[]): string | undefined {
  const place = words.lastIndexOf('--base-url')
  return place < 0 ? undefined : words[place + 1]
}
