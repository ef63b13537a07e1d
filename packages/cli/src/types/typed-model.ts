import { stringIn, tryParseJson } from '@modelrun/kit'
import type { InputProperty, InputSchema } from 'modelrun'

/** One parameter of a model (section 2.3), as types need it. */
export interface Parameter extends InputProperty {
  name: string
  /** True when a run without it is rejected: a required parameter with a default may be left out. */
  isRequired: boolean
}

/** Required ones first, each group sorted by name: the order in which the service lists things does not matter. */
export function readParameters({ properties, required = [] }: InputSchema): Parameter[] {
  // No object literal can hold this name: a run cannot have it.
  const names = [...new Set([...Object.keys(properties), ...required])].filter((name) => name !== '__proto__')
  const parameters = names.map((name) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    return { ...property, name, isRequired: required.includes(name) && property?.default === undefined }
  })
  return parameters.toSorted(byNeedAndName)
}

function byNeedAndName(a: Parameter, b: Parameter): number {
  if (a.isRequired !== b.isRequired) return a.isRequired ? -1 : 1
  return a.name < b.name ? -1 : 1
}

export const TITLE = '// Input types of models, made by `modelrun types`. Do not edit: run it again.'

/** Starts the line with a model's data as JSON. */
export const MODEL_MARK = '// modelrun '

/** A model in a file of types: what `--check` compares with the catalog. */
export interface WrittenModel {
  id: string
  credits: number
  /** Its types, without comments. */
  code: string
}

/** The models of a file of types; undefined when the text is not such a file. */
export function readTypes(text: string): WrittenModel[] | undefined {
  const [head = '', ...blocks] = text.split(/^\s*\/\/ modelrun (?=\{)/m)
  if (head.split(/\r?\n/, 1)[0] !== TITLE) return undefined
  const models = blocks.map((block) => {
    const [mark = '', types = ''] = block.split(/\r?\n([\s\S]*?)^ {4}\}/m, 2)
    return { ...(tryParseJson(mark) as object), code: codeOf(types) }
  })
  // Written by `renderTypes`; a file that was edited is found by its shape.
  return models.every((model) => stringIn(model, 'id') !== undefined) ? (models as WrittenModel[]) : undefined
}

/** A file of types without its comments: what the compiler reads of it. */
export function codeOf(text: string): string {
  const lines = text.split(/\r?\n/)
  return lines.filter((line) => !/^\s*(\/\/|\/\*\*|\*)/.test(line)).join('\n')
}
