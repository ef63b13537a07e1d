import type { ErrorDetail } from '@modelrun/contract'
import type { CatalogModel } from './catalog.ts'

/** The error of a job that failed at the provider (section 7), unless a test says otherwise. */
export function providerFailure(model: CatalogModel, code = 'PROVIDER_FAILURE', message?: string): ErrorDetail {
  return { code, message: message ?? `The provider ${model.provider} could not run the model ${model.id}.` }
}
