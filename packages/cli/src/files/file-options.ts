import type { Command } from 'commander'
import { DEFAULT_TEMPLATE } from './file-template.ts'

/** Where produced files are saved. */
export interface FileOptions {
  out?: string | undefined
  name?: string | undefined
  save: boolean
}

/** Adds the options of {@link FileOptions}. */
export function addFileOptions(command: Command): Command {
  return command
    .option('-o, --out <folder>', 'save the files there (default: the current folder)')
    .option(
      '--name <template>',
      `name of a file, made of {model} {job_id} {index} {ext} (default: ${DEFAULT_TEMPLATE})`,
    )
    .option('--no-save', 'print the urls of the files and save none')
}
