import { ModelRunError } from './model-run-error.ts'

/** An option or an argument is missing or wrong. Nothing was sent. */
export class ConfigurationError extends ModelRunError {
  override get name(): 'ConfigurationError' {
    return 'ConfigurationError'
  }
  override get code(): 'configuration' {
    return 'configuration'
  }
}
