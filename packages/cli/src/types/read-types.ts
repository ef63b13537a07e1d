import type { TypedModel } from './typed-model.ts'

/** The first line of every file of types. */
export const TITLE = '// Input types of models, made by `modelrun types`. Do not edit: run it again.'

/** Starts the line with a model's data as JSON: what `--check` compares with the catalog. */
export const MODEL_MARK = '// modelrun '

/** A model as a file of types has it: its texts are left out. */
export type WrittenModel = Pick<TypedModel, 'id' | 'hash' | 'credits' | 'parameters'>

/** The models of a file of types; undefined when the text is not such a file. */
export function readTypes(text: string): WrittenModel[] | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  if (lines[0] !== TITLE) return undefined
  try {
    return lines.filter((line) => line.startsWith(MODEL_MARK)).map((line) => readModel(line.slice(MODEL_MARK.length)))
  } catch {
    return undefined
  }
}

/** The data was written by {@link renderTypes}; a file that was edited is found by its shape. @throws SyntaxError, TypeError */
function readModel(json: string): WrittenModel {
  const model: WrittenModel = JSON.parse(json)
  if (typeof model.id !== 'string' || !Array.isArray(model.parameters)) throw new TypeError('It is not a model.')
  return model
}

/** A file of types without its comments: what the compiler reads of it. */
export function codeOf(text: string): string {
  const lines = text.split(/\r?\n/)
  return lines.filter((line) => !/^\s*(\/\/|\/\*\*|\*)/.test(line)).join('\n')
}
