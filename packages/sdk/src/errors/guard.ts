import { ERROR_BRAND, type ModelRunError } from './model-run-error.ts'

/** True for every error of this package, from any copy of it and from any realm. */
export function isModelRunError(error: unknown): error is ModelRunError {
  return typeof error === 'object' && error !== null && ERROR_BRAND in error
}

/** A guard for one kind of error, by its name. */
export function guard<E extends ModelRunError>(name: E['name']) {
  return (error: unknown): error is E => isModelRunError(error) && error.name === name
}
