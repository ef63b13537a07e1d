import { type Command, InvalidArgumentError, Option } from 'commander'
import { addFileOptions, type FileOptions } from '../files/file-options.ts'
import { addServiceOptions, type ServiceOptions } from '../service/service-options.ts'

/** Options of `modelrun run`, beside the parameters of the model. */
export interface RunCommandOptions extends ServiceOptions, PriceOptions, FileOptions {
  input?: string | undefined
  param?: readonly string[] | undefined
  wait: boolean
  timeout?: number | undefined
  onInterrupt: 'detach' | 'cancel'
  help?: boolean | undefined
}

/** What a run may cost. */
export interface PriceOptions {
  maxCredits?: number | undefined
  yes?: boolean | undefined
}

/** Adds the options of {@link PriceOptions}. */
export function addPriceOptions(command: Command, unit: 'run' | 'batch'): Command {
  return command
    .addOption(
      new Option('--max-credits <number>', `pay up to so many credits for the ${unit}, without a question`)
        .argParser(readCredits)
        .env('MODELRUN_MAX_CREDITS'),
    )
    .option('-y, --yes', 'pay the price, without a question')
}

/** Adds the options of {@link RunCommandOptions}. */
export function addRunOptions(command: Command): Command {
  addPriceOptions(command, 'run')
    .option('-i, --input <file>', 'read parameters from a JSON file; - reads standard input')
    .option('-p, --param <name=value>', 'give a parameter whose flag is taken or impossible; repeatable', collect)
    .option('--no-wait', 'print the id of the job and do not wait for its end')
    .option('--timeout <duration>', 'stop waiting after this time, such as 90s or 10m; the job continues', readDuration)
    .addOption(
      new Option('--on-interrupt <what>', 'what Ctrl-C does with the job')
        .choices(['detach', 'cancel'])
        .default('detach'),
    )
  addFileOptions(command)
  return addServiceOptions(command)
}

/** Collects the values of an option that is given several times. */
function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value]
}

/** Reads a count of credits. @throws InvalidArgumentError */
function readCredits(text: string): number {
  const credits = Number(text)
  if (text.trim() !== '' && credits >= 0) return credits
  throw new InvalidArgumentError('It must be a number of credits, such as 10.')
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Reads a duration into milliseconds. @throws InvalidArgumentError */
export function readDuration(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim()) ?? []
  if (number !== undefined) return Number(number) * (UNITS[unit] ?? 1)
  throw new InvalidArgumentError('It must be a duration, such as 90s, 10m or 500ms.')
}
