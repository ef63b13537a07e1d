import { ModelRunError, named } from './model-run-error.ts'

/** An option or an argument is missing or wrong. Nothing was sent. */
export class ConfigurationError extends /* @__PURE__ */ named(ModelRunError, 'ConfigurationError', 'configuration') {}
