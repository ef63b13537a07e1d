/** A line of a program with an error. */
export interface WrongLine {
  /** `|` is where the error must be shown. */
  code: string
  message: RegExp
}

const NO_MODEL = /"aurora-imgae".* is not assignable to .*"aurora-image"/
const NO_PARAMETER = /'num_image' does not exist in type .*Did you mean to write 'num_images'\?/

/** Lines that are wrong for a program with the types of `aurora-image` and `kinora/reel-pro`. */
export const WRONG_LINES: readonly WrongLine[] = [
  { code: "client.run(|'aurora-imgae', { prompt: 'x' })", message: NO_MODEL },
  { code: "client.submit(|'aurora-imgae', { prompt: 'x' })", message: NO_MODEL },
  { code: "client.runMany(|'aurora-imgae', [{ prompt: 'x' }])", message: NO_MODEL },
  { code: "client.models.run(|'aurora-imgae', { input: { prompt: 'x' } })", message: NO_MODEL },
  { code: "client.run('aurora-image', { prompt: 'x', |num_image: 2 })", message: NO_PARAMETER },
  { code: "client.submit('aurora-image', { prompt: 'x', |num_image: 2 })", message: NO_PARAMETER },
  {
    code: "client.runMany('aurora-image', [{ prompt: 'x', |num_image: 2 }])",
    message: /'number' is not assignable to type 'never'/,
  },
  { code: "client.models.run('aurora-image', { input: { prompt: 'x', |num_image: 2 } })", message: NO_PARAMETER },
  {
    code: "client.run('aurora-image', |{})",
    message: /'prompt' is missing|'\{\}' is not assignable to parameter of type '\{ prompt: string;/,
  },
  {
    code: "client.run('aurora-image', { prompt: 'x', |num_images: 5 })",
    message: /'5' is not assignable to type '[1-4 |]+undefined'/,
  },
  {
    code: "client.run('aurora-image', { prompt: 'x', |image_size: 'squared' })",
    message: /"squared"' is not assignable/,
  },
  { code: "client.run('aurora-image', { |prompt: 1 })", message: /'number' is not assignable to type 'string'/ },
  {
    code: "client.runMany('aurora-image', [{ prompt: 'x' }, { |prompt: 1 }])",
    message: /'number' is not assignable to type 'string'/,
  },
]

/** Lines that are right for the same program. */
export const RIGHT_LINES: readonly string[] = [
  "client.run('aurora-image', { prompt: 'x', num_images: 4, image_size: 'square' })",
  "client.submit('aurora-image', { prompt: 'x', num_images: undefined })",
  "client.models.run('aurora-image', { input: { prompt: 'x' }, sync: false })",
  "client.runMany('aurora-image', new Set([{ prompt: 'x' }, { prompt: 'y', num_images: 2 as const }]))",
  "client.run('aurora-imgae' as string, { anything: 1 })",
  "client.runMany('aurora-imgae' as string, [{ anything: 1 }])",
]

/** A program of lines, each a statement. */
export function programOf(lines: readonly string[]): string {
  const statements = lines.map((line) => `void ${line}`)
  return `import { ModelRun } from 'modelrun'\nconst client = new ModelRun()\n${statements.join('\n')}\n`
}
