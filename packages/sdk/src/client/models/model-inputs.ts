import type { RunRequest } from '@modelrun/contract'
import type { AnyInput } from '@modelrun/kit'

/**
 * The models that your program knows, with the type of their input. Empty here; extend it to get exact types. `modelrun types`
 * of `@modelrun/cli` writes such a file. The file must be a module that TypeScript includes: the import makes it one.
 *
 * ```ts
 * import 'modelrun'
 *
 * declare module 'modelrun' {
 *   interface ModelInputs {
 *     'aurora-image': { prompt: string; num_images?: number }
 *   }
 * }
 * ```
 *
 * A listed model takes exactly that input, in `run`, `submit`, `runMany` and `models.run`, and editors complete its id. Models
 * that are not listed take any parameters, unless {@link ModelInputsSettings} says otherwise.
 */
// biome-ignore lint/suspicious/noEmptyInterface: open for declaration merging.
export interface ModelInputs {}

/**
 * How {@link ModelInputs} is read. Extend it in the same way with `onlyListedModels: true`, and a literal id that is not listed
 * is a type error: a typing mistake is found before it runs. A variable of type `string` stays allowed.
 */
// biome-ignore lint/suspicious/noEmptyInterface: open for declaration merging.
export interface ModelInputsSettings {}

/**
 * The listed ids, and any other text: editors complete the first, and the compiler takes both. Any text when only listed ids are
 * allowed: then {@link ModelId} completes and checks them, and a thousand ids cost the compiler nothing here.
 */
export type AnyModelId<Inputs = ModelInputs, Settings = ModelInputsSettings> = Settings extends {
  onlyListedModels: true
}
  ? string
  : (keyof Inputs & string) | (string & {})

/** `Id`; or the listed ids, when only these are allowed and `Id` is a literal that is not one of them. */
export type ModelId<Id extends string, Inputs = ModelInputs, Settings = ModelInputsSettings> = Settings extends {
  onlyListedModels: true
}
  ? string extends Id
    ? Id
    : Id extends keyof Inputs
      ? Id
      : keyof Inputs & string
  : Id

/** The input of a model: its exact type when the model is listed in {@link ModelInputs}, else any object of parameters. */
// The tuples look all ids up at once: else the compiler looks up each of a thousand listed ids for each call.
export type ModelInput<Id extends string, Inputs = ModelInputs> = [Id] extends [keyof Inputs] ? Inputs[Id] : AnyInput

/** The body of `POST /v1/models/{model}/run` (section 4.3) with the input of a model. */
export type RunBody<Id extends string, Inputs = ModelInputs> = Omit<RunRequest, 'input'> & {
  /** Parameters per the model's `input_schema`. */
  input: ModelInput<Id, Inputs>
}

/** One of many inputs: an input of the model, and of a listed model nothing else. */
export type ManyInput<Id extends string, Input, Inputs = ModelInputs> = [Id] extends [keyof Inputs]
  ? Inputs[Id] & Input & { [Name in Exclude<keyof Input, keyof Inputs[Id]>]?: never }
  : Input

/** Inputs one after the other. An array is iterable too: with its own part here, an error is shown at the parameter that is wrong. */
export type ManyInputs<Input> = readonly Input[] | Iterable<Input> | AsyncIterable<Input>
