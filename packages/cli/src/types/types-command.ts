import { readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { memberOf } from '@modelrun/kit'
import type { CliContext, ExitCode } from '../context.ts'
import { makeFolder } from '../files/private-files.ts'
import type { ConnectionOptions } from '../options.ts'
import { createService } from '../service/service.ts'
import { runTypes, type TypesOptions } from './run-types.ts'

/** Options of `modelrun types`. */
export interface TypesCommandOptions extends ConnectionOptions, TypesOptions {}

/** Runs `modelrun types` on the files of the current folder. */
export async function runTypesCommand(
  [ids]: [string[]],
  options: TypesCommandOptions,
  context: CliContext,
): Promise<ExitCode> {
  const { client } = await createService(options, context)
  const { terminal } = context
  const print = (line: string) => terminal.printAlways(line)
  const say = (line: string) => terminal.say(line)
  return runTypes(ids, options, { client, readFile: readText, write, print, say })
}

async function write(path: string, text: string): Promise<void> {
  makeFolder(dirname(resolve(path)))
  await writeFile(path, text)
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (memberOf(error, 'code') === 'ENOENT') return undefined
    throw error
  }
}
