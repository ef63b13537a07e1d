import type { Core } from './core.ts'
import { ConfigurationError } from './errors/local-errors.ts'
import { FilesResource } from './files/files-resource.ts'
import { createTransport } from './http/transport.ts'
import type { JobHandle } from './jobs/job-handle.ts'
import { JobsResource } from './jobs/jobs-resource.ts'
import { createModelCache } from './models/model-cache.ts'
import type { ModelId, ModelInput } from './models/model-inputs.ts'
import { ModelsResource } from './models/models-resource.ts'
import { type ModelRunOptions, resolveOptions } from './options.ts'
import { runModel, submitRun } from './runs/run-model.ts'
import type { RunOptions, SubmitOptions } from './runs/run-options.ts'
import type { RunResult } from './runs/run-result.ts'

/**
 * Client of the model inference service. It never sends a run twice when the first one may have counted.
 *
 * @example
 * const client = new ModelRun({ apiKey, baseUrl })
 * const result = await client.run('aurora-image', { prompt: 'a red fox' })
 * console.log(result.output.items[0]?.url)
 */
export class ModelRun {
  /** List and read models. */
  readonly models: ModelsResource
  /** Read, await and cancel jobs. */
  readonly jobs: JobsResource
  /** Fetch and save what runs produced. */
  readonly files: FilesResource
  // Both hold or make the API key: private fields are out of reach of console.log and JSON.stringify.
  readonly #core: Core
  readonly #options: ModelRunOptions

  /** @throws ConfigurationError when the key or the address is missing, or an option is wrong */
  constructor(options: ModelRunOptions = {}) {
    const resolved = resolveOptions(options)
    this.#options = { ...options }
    this.#core = { options: resolved, transport: createTransport(resolved), modelCache: createModelCache() }
    this.models = new ModelsResource(this.#core)
    this.jobs = new JobsResource(this.#core)
    this.files = new FilesResource(this.#core)
  }

  /** A client with some options changed; this one stays as it is. An option that is undefined is not changed. */
  withOptions(options: ModelRunOptions): ModelRun {
    const changes = Object.entries(options).filter(([, value]) => value !== undefined)
    return new ModelRun({ ...this.#options, ...Object.fromEntries(changes) })
  }

  /**
   * Runs a model and gives its result, whether the service answers at once (200) or later (202, then polling).
   *
   * @param model Id of the model
   * @param input Parameters per the model's `input_schema`
   * @throws JobFailedError, JobCancelledError when the job ended so
   * @throws DeadlineExceededError, AbortedError when the wait ended first; `error.job` is the live job when it is known
   * @throws ApiError, ConnectionError, AttemptTimeoutError, InvalidResponseError when submitting failed;
   *   `error.submission` tells whether the run may be charged
   */
  async run<const Id extends string>(
    model: ModelId<Id>,
    input: ModelInput<NoInfer<Id>>,
    options: RunOptions = {},
  ): Promise<RunResult> {
    return runModel(this.#core, { model, input: checkInput(input), options })
  }

  /**
   * Starts a run and gives its job at once, without waiting for the result.
   *
   * @throws As {@link run} does when submitting failed
   */
  async submit<const Id extends string>(
    model: ModelId<Id>,
    input: ModelInput<NoInfer<Id>>,
    options: SubmitOptions = {},
  ): Promise<JobHandle> {
    return submitRun(this.#core, { model, input: checkInput(input), options })
  }
}

/** A copy, because an exact input type may be an interface, which has no index signature. */
function checkInput(input: object): Record<string, unknown> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { ...input }
  throw new ConfigurationError({
    message: `The input of a run must be an object of parameters, like { prompt: 'a red fox' }. Nothing was sent.`,
  })
}
