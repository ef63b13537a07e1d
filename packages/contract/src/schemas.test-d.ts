import type * as contract from '@modelrun/contract'
import { expectTypeOf, test } from 'vitest'
import type * as z from 'zod/mini'

/**
 * A type without what schema and interface cannot share: the index signature that a loose object infers, and the known
 * values of an open enumeration, which its schema reads as any string. All else stays, down to `?` and `| undefined`.
 */
type Wire<T> = T extends string
  ? string extends T
    ? string
    : T
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? WireObject<T>
      : T

/** A pure dictionary, such as `input`, keeps its index signature. */
type WireObject<T> = keyof Named<T> extends never ? { [K in keyof T]: Wire<T[K]> } : Named<T>

type Named<T> = { [K in keyof T as string extends K ? never : K]: Wire<T[K]> }

interface InterfaceOf {
  errorBodySchema: contract.ErrorBody
  errorDetailSchema: contract.ErrorDetail
  failedDeliverySchema: contract.FailedDelivery
  jobResponseSchema: contract.JobResponse
  jobSchema: contract.Job
  listModelsQuerySchema: contract.ListModelsQuery
  modelListSchema: contract.ModelList
  modelSchema: contract.Model
  modelSummarySchema: contract.ModelSummary
  outputSchema: contract.Output
  runCompletedSchema: contract.RunCompleted
  runProcessingSchema: contract.RunProcessing
  runQueuedSchema: contract.RunQueued
  runRequestSchema: contract.RunRequest
  runResponseSchema: contract.RunResponse
  succeededDeliverySchema: contract.SucceededDelivery
  webhookDeliverySchema: contract.WebhookDelivery
}

type SchemaName = Extract<keyof typeof contract, `${string}Schema`>

type FromSchemas = { [Name in SchemaName]: Wire<z.infer<(typeof contract)[Name]>> }

type FromInterfaces = { [Name in keyof InterfaceOf]: Wire<InterfaceOf[Name]> }

type Union = 'runResponseSchema' | 'webhookDeliverySchema'

test('every schema has an interface (sections 2, 4, 6 and 7)', () => {
  expectTypeOf<keyof InterfaceOf>().toEqualTypeOf<SchemaName>()
})

// The unions apart: the message for a difference in another schema would point at them.
test('every schema infers its interface, field for field (sections 2, 4, 6 and 7)', () => {
  expectTypeOf<Omit<FromSchemas, Union>>().toEqualTypeOf<Omit<FromInterfaces, Union>>()
})

test('every union of responses infers its interface (sections 4.3 and 6)', () => {
  expectTypeOf<Pick<FromSchemas, Union>>().toEqualTypeOf<Pick<FromInterfaces, Union>>()
})
