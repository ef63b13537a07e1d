import * as z from 'zod/mini'
import { defineSchema } from './define-schema.ts'
import { LIMITS } from './limits.ts'
import type { OpenEnum } from './open-enum.ts'

/** The model categories that the specification names (section 2.2). */
export const MODEL_CATEGORIES = [
  'text-to-image',
  'text-to-video',
  'image-to-image',
  'text-to-speech',
  'audio-generation',
] as const

/** A category that the specification names (section 2.2). */
type KnownModelCategory = (typeof MODEL_CATEGORIES)[number]

/** Category of a model (section 2.2); the service may add some. */
type ModelCategory = OpenEnum<KnownModelCategory>

/** Status of a model (section 2.1): `active` is the value that occurs, others may. */
type ModelStatus = OpenEnum<'active'>

/** The price of a run (section 2.1). */
export interface ModelPricing {
  /** Credits charged per run. Whether a run that fails is charged: not shown. */
  credits_per_run: number
}

/** Description of one input parameter (section 2.3). */
export interface InputProperty {
  /** JSON type of the value: `string`, `integer`, `number`, `boolean`, …; or several, as JSON Schema writes them. */
  type?: string | string[] | undefined
  /** The effect of the parameter. */
  description?: string | undefined
  /** The allowed values. */
  enum?: unknown[] | undefined
  /** The value that the service uses when the parameter is left out. */
  default?: unknown
  /** Smallest allowed number. */
  minimum?: number | undefined
  /** Largest allowed number. */
  maximum?: number | undefined
}

/** JSON-schema-like description of a model's input (section 2.3). */
export interface InputSchema {
  /** Always `object` in the specification. */
  type: OpenEnum<'object'>
  /** Parameter name to its description. */
  properties: Record<string, InputProperty>
  /** Names of the mandatory parameters. */
  required?: string[] | undefined
}

/** A model as the list shows it (section 2.1, without `input_schema`). */
export interface ModelSummary {
  /** Identifier, used in paths as `{id}` and `{model}`. May contain `/`. */
  id: string
  /** Display name. */
  name: string
  /** Short description. */
  description: string
  /** The kind of output (section 2.2). */
  category: ModelCategory
  /** Provider label. */
  provider: string
  /** `active` is the value in the specification; the service may send others. */
  status: ModelStatus
  /** The price of a run. */
  pricing: ModelPricing
}

/** A model with its details, the response of `GET /v1/models/{id}` (sections 2.1 and 4.2). */
export interface Model extends ModelSummary {
  /** Shape of the `input` that a run of this model takes. */
  input_schema: InputSchema
}

/** Query parameters of `GET /v1/models` (section 4.1). All are optional. */
export interface ListModelsQuery {
  /** Only models of this category. */
  category?: ModelCategory | undefined
  /** Search by name or description. How a text matches: not shown. */
  search?: string | undefined
  /** Number of results: default 20, maximum 100 (section 8). */
  limit?: number | undefined
  /** How many matches to skip. */
  offset?: number | undefined
}

/** Response of `GET /v1/models` (section 4.1). */
export interface ModelList {
  /** The models of this page, without their `input_schema`. */
  models: ModelSummary[]
  /** Number of all matching models, on every page. */
  total: number
  /** Limit applied. */
  limit: number
  /** Offset applied. */
  offset: number
}

/** Schema of {@link ModelPricing}. Unknown members stay. */
export const modelPricingSchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({ credits_per_run: z.number() }),
) satisfies z.ZodMiniType<ModelPricing>

/** Schema of {@link InputProperty}. Unknown members stay. */
export const inputPropertySchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    type: z.optional(z.union([z.string(), z.array(z.string())])),
    description: z.optional(z.string()),
    enum: z.optional(z.array(z.unknown())),
    default: z.optional(z.unknown()),
    minimum: z.optional(z.number()),
    maximum: z.optional(z.number()),
  }),
) satisfies z.ZodMiniType<InputProperty>

/** Schema of {@link InputSchema}. Unknown members stay. */
export const inputSchemaSchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    type: z.string(),
    // Not `z.record`: that would be 0.8 kB of every client for this one place.
    properties: z.catchall(z.object({}), inputPropertySchema),
    required: z.optional(z.array(z.string())),
  }),
) satisfies z.ZodMiniType<InputSchema>

/** Schema of {@link ModelSummary}. Unknown members stay. */
export const modelSummarySchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    category: z.string(),
    provider: z.string(),
    status: z.string(),
    pricing: modelPricingSchema,
  }),
) satisfies z.ZodMiniType<ModelSummary>

/** Schema of {@link Model}. Unknown members stay. */
export const modelSchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    ...modelSummarySchema.shape,
    input_schema: inputSchemaSchema,
  }),
) satisfies z.ZodMiniType<Model>

/** A count may be any number: a check for whole numbers would add 0.4 kB to every bundle, without a benefit. */
export const modelListSchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    models: z.array(modelSummarySchema),
    total: z.number(),
    limit: z.number(),
    offset: z.number(),
  }),
) satisfies z.ZodMiniType<ModelList>

/** Strict: what a server accepts as the query of `GET /v1/models`, numbers already parsed. */
export const listModelsQuerySchema = /* @__PURE__ */ defineSchema(() =>
  z.strictObject({
    category: z.optional(z.string()),
    search: z.optional(z.string()),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(LIMITS.modelsPageMax))),
    offset: z.optional(z.int().check(z.minimum(0))),
  }),
) satisfies z.ZodMiniType<ListModelsQuery>
