import { type AnyInput, readArguments, readOptions } from '@modelrun/kit'
import type { Clock } from '../shared/clock.ts'
import { checkArguments, REQUEST_OPTIONS, RUN_MANY_OPTIONS, RUN_OPTIONS, SUBMIT_OPTIONS } from './call-options.ts'
import { readClientOptions } from './client-options.ts'
import { type Core, createCore } from './core.ts'
import { FilesResource } from './files/files-resource.ts'
import { ApiPromise } from './http/api-promise.ts'
import type { JobHandle } from './job-handle.ts'
import { JobsResource } from './jobs/jobs-resource.ts'
import type { RunResult } from './jobs/run-result.ts'
import { loadPart } from './load-part.ts'
import type { AnyModelId, ManyInput, ManyInputs, ModelId, ModelInput } from './models/model-inputs.ts'
import { ModelsResource } from './models-resource.ts'
import { type ModelRunOptions, resolveOptions } from './options.ts'
import type { RequestOptions } from './runs/raw-request.ts'
import type { RunManyCall, RunManyOptions, SettledRun } from './runs/run-many-options.ts'
import { runModel, submitRun } from './runs/run-model.ts'
import { checkInput } from './runs/run-operation.ts'
import type { RunOptions, SubmitOptions } from './runs/run-options.ts'

/**
 * Client of the model inference service. It never sends a run again when the service may have accepted it.
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
  // Both give access to the API key. Private fields are not printed by console.log and JSON.stringify.
  readonly #core: Core
  readonly #options: ModelRunOptions

  /**
   * A client for one service and one API key. Nothing is sent yet. Without options, key and base URL come from the
   * environment variables `MODELRUN_API_KEY` and `MODELRUN_BASE_URL`.
   *
   * @throws ConfigurationError when the key or the base URL is missing, or an option is wrong
   */
  constructor(options: ModelRunOptions = {}) {
    this.#options = readClientOptions('new ModelRun', options)
    this.#core = createCore(resolveOptions(this.#options))
    this.models = new ModelsResource(this.#core)
    this.jobs = new JobsResource(this.#core)
    this.files = new FilesResource(this.#core)
  }

  /** Where the service, or the proxy of a page, is. */
  get baseUrl(): string {
    return this.#core.options.baseUrl
  }

  /** Where the time of this client comes from. An inbox of this client has the same clock. */
  get clock(): Clock {
    return this.#core.options.clock
  }

  /**
   * Returns a client with some options changed. This client stays unchanged. An undefined option is not changed.
   *
   * @throws ConfigurationError when an option is wrong
   */
  withOptions(options: ModelRunOptions): ModelRun {
    return new ModelRun({ ...this.#options, ...readClientOptions('client.withOptions', options) })
  }

  /**
   * Runs a model and returns its result. A listener (`signal`, `onStatus`, `webhook`) makes the run asynchronous, because its job
   * must be known; without one the service may hold the request until the result is there (200), or until polls find it (202).
   * `withResponse()` also returns the HTTP response to the run, with the service's id of the request.
   *
   * @param model Id of the model
   * @param input Parameters per the model's `input_schema`
   * @throws ConfigurationError when an argument is wrong: nothing was sent
   * @throws JobFailedError, JobCancelledError when the job ended so
   * @throws DeadlineExceededError, AbortedError when the wait ended first; `error.job` is the live job when it is known
   * @throws ApiError, ConnectionError, AttemptTimeoutError, InvalidResponseError when submitting failed;
   *   `error.submission` says whether the run may be charged
   * @throws InputValidationError when JSON cannot hold the input. Pass a file as `await toDataUri(file)`
   */
  run<const Id extends AnyModelId>(
    model: ModelId<Id>,
    input: ModelInput<NoInfer<Id>>,
    options: RunOptions = {},
  ): ApiPromise<RunResult> {
    const place = 'client.run'
    const work = async () => {
      checkArguments(place, { model })
      const checked = readOptions(place, options, RUN_OPTIONS)
      return await runModel(this.#core, { model, input: checkInput(input), options: checked })
    }
    return new ApiPromise(this.#core.traceCall({ operation: 'run', model }, work))
  }

  /**
   * Starts a run and returns its job at once, without waiting for the result.
   *
   * @throws As {@link run} does when submitting failed
   */
  submit<const Id extends AnyModelId>(
    model: ModelId<Id>,
    input: ModelInput<NoInfer<Id>>,
    options: SubmitOptions = {},
  ): ApiPromise<JobHandle> {
    const place = 'client.submit'
    const work = async () => {
      checkArguments(place, { model })
      const checked = readOptions(place, options, SUBMIT_OPTIONS)
      return await submitRun(this.#core, { model, input: checkInput(input), options: checked }, checked.deadlineMs)
    }
    return new ApiPromise(this.#core.traceCall({ operation: 'submit', model }, work))
  }

  /**
   * Runs a model on many inputs, a few at a time, and yields each run as it ends. Nothing runs before the loop starts:
   * awaiting the result without `for await` runs nothing. An input is taken only when a place is free, and no run starts
   * while results wait to be taken. So inputs may be endless, and memory stays small. After the loop is left, no further
   * run starts; the runs under way continue, and `onProgress` has reported their jobs.
   *
   * @example
   * for await (const run of client.runMany('aurora-image', prompts, { concurrency: 4 })) {
   *   if (run.status === 'fulfilled') await client.files.save(run.value, 'out')
   *   else console.error(run.index, run.reason)
   * }
   *
   * @param inputs Parameters per the model's `input_schema`, one object for each run
   * @throws ConfigurationError at once, when it is called, for a wrong argument
   * @throws An error of the inputs or of `onProgress`, AbortedError
   */
  // `Input extends ModelInput<Id>` would have the compiler compare the inputs of all listed models with each other.
  runMany<const Id extends AnyModelId, Input extends AnyInput>(
    model: ModelId<Id>,
    inputs: ManyInputs<ManyInput<NoInfer<Id>, Input>>,
    options: RunManyOptions = {},
  ): AsyncGenerator<SettledRun<Input>, void, undefined> {
    const place = 'client.runMany'
    checkArguments(place, { model, inputs })
    const checked = readOptions(place, options, RUN_MANY_OPTIONS)
    return runManyInputs(this.#core, { model, inputs, options: checked })
  }

  /**
   * Calls any path of the service, for endpoints that this client does not know yet. Authentication, retries, time limits
   * and errors are those of every call. Only GET and DELETE are sent again when their outcome is unknown.
   *
   * @example
   * const usage = await client.request('GET', '/v1/usage', { query: { month: '2026-11' } })
   *
   * @param path Path below `baseUrl`, percent-encoded
   * @returns The parsed JSON of the response; undefined when its body is empty
   * @throws ConfigurationError, ApiError, ConnectionError, AttemptTimeoutError, AbortedError, InvalidResponseError
   */
  request(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options: RequestOptions = {},
  ): ApiPromise<unknown> {
    const place = 'client.request'
    const work = async () => {
      const checked = readOptions(place, options, REQUEST_OPTIONS)
      const { rawOperation } = await loadPart(() => import('./runs/raw-request.ts'))
      const operation = readArguments(place, () => rawOperation(method, path, checked))
      return await this.#core.transport.callOnce(operation, checked)
    }
    return new ApiPromise(work())
  }
}

async function* runManyInputs<I extends object>(core: Core, call: RunManyCall<I>): AsyncGenerator<SettledRun<I>, void> {
  // Before the first run is sent.
  const { runMany } = await loadPart(() => import('./runs/run-many.ts'))
  yield* runMany(core, call)
}
