import { type ErrorFields, ModelRunError, named } from '@modelrun/kit'

/** A produced file could not be written; `cause` is the error of the system, such as `ENOSPC`. The result is not lost. */
export class SaveError extends /* @__PURE__ */ named(ModelRunError, 'SaveError', 'save_failed') {}

/** A webhook body is not a delivery of the service (section 6). */
export class WebhookParseError extends /* @__PURE__ */ named(ModelRunError, 'WebhookParseError', 'webhook_parse') {}

/** One problem of an input. */
export interface InputIssue {
  /** JSON pointer (RFC 6901) into the input, e.g. `/num_images`. */
  pointer: string
  /** The problem of the value, and what is allowed. */
  message: string
}

/**
 * The input holds what JSON cannot, such as a Buffer or a promise; or `validateInput` found it to break the model's
 * `input_schema` (section 2.3). Nothing was sent.
 */
export class InputValidationError extends /* @__PURE__ */ named(
  ModelRunError,
  'InputValidationError',
  'input_validation',
) {
  /** All problems of the input, at least one. */
  readonly issues: readonly InputIssue[]

  /** With the values that the message is about. */
  constructor(fields: ErrorFields & { issues: readonly InputIssue[] }) {
    super(fields)
    this.issues = fields.issues
  }
}

/** The model costs more than `maxCredits` allows. The run was not sent, or the service rejected it each time. */
export class BudgetExceededError extends /* @__PURE__ */ named(
  ModelRunError,
  'BudgetExceededError',
  'budget_exceeded',
) {
  /** The model's price for one run, in credits. */
  readonly creditsPerRun: number
  /** The limit that was set, in credits. */
  readonly maxCredits: number

  /** With the values that the message is about. */
  constructor(fields: ErrorFields & { creditsPerRun: number; maxCredits: number }) {
    super(fields)
    this.creditsPerRun = fields.creditsPerRun
    this.maxCredits = fields.maxCredits
  }
}
