/**
 * The models that your program knows, with the type of their input. Empty here; extend it to get exact types:
 *
 * ```ts
 * declare module 'modelrun' {
 *   interface ModelInputs {
 *     'aurora-image': { prompt: string; num_images?: number }
 *   }
 * }
 * ```
 *
 * From then on a literal id that is not listed is a type error; a variable of type `string` stays allowed.
 */
// biome-ignore lint/suspicious/noEmptyInterface: open for declaration merging.
export interface ModelInputs {}

/** `Id`, or the known ids when `Id` is a literal that is not one of them. */
export type ModelId<Id extends string, Inputs = ModelInputs> = [keyof Inputs] extends [never]
  ? Id
  : string extends Id
    ? Id
    : Id extends keyof Inputs
      ? Id
      : keyof Inputs & string

/** The input of a model: its exact type when the model is listed in {@link ModelInputs}. */
export type ModelInput<Id extends string, Inputs = ModelInputs> = Id extends keyof Inputs
  ? Inputs[Id]
  : Record<string, unknown>
