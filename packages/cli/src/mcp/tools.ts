import type { JsonSchemaType } from '@modelcontextprotocol/server'

export type Properties = Exclude<JsonSchemaType, boolean>['properties'] & object

const STRING = { type: 'string' }
const NUMBER = { type: 'number' }
const OBJECT = { type: 'object' }
const KEY = { ...STRING, minLength: 1, maxLength: 200 }
const MODEL = { ...STRING, description: 'Id of a model, as search_models lists it.' }
const WAIT = { type: 'number', minimum: 0, maximum: 25, description: 'Seconds to wait for the end. Default 20.' }
const RUN: Properties = { key: STRING, state: STRING, model: STRING, job_id: STRING, sent_at: STRING, credits: NUMBER }
const REPORT = {
  ...RUN,
  error: { ...OBJECT, description: 'Text of the service.' },
  budget_left: NUMBER,
  files: { type: 'array', items: STRING },
  urls: { type: 'array', items: STRING, description: 'Of the files, for the input of another run.' },
  problem: { ...STRING, description: 'Text of others.' },
  next: { ...STRING, description: 'What to do.' },
}

/** A tool that only reads, unless its own annotations say otherwise. */
function tool(description: string, input: { required?: Properties; optional?: Properties }, output: Properties) {
  const { required = {}, optional = {} } = input
  const properties: Properties = { ...required, ...optional }
  const inputSchema: JsonSchemaType & { properties: Properties } = {
    type: 'object',
    properties,
    required: Object.keys(required),
  }
  const outputSchema: JsonSchemaType = { type: 'object', properties: output }
  return { description, inputSchema, outputSchema, annotations: { readOnlyHint: true } }
}

/** What agents see of the tools. Each word is in the context of every conversation. */
export const TOOLS = {
  search_models: tool(
    'Lists models that make images, videos or sounds, with their prices in credits, in pages.',
    {
      optional: {
        search: STRING,
        category: { ...STRING, description: 'Such as text-to-image, text-to-video, text-to-speech.' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Default 20.' },
        offset: { type: 'integer', minimum: 0 },
      },
    },
    {
      models: { type: 'array', items: OBJECT },
      total: NUMBER,
      next_offset: { ...NUMBER, description: 'Of the next page.' },
    },
  ),
  describe_model: tool(
    'Gives the parameters and the price of a model.',
    { required: { model: MODEL } },
    { model: OBJECT },
  ),
  run_model: {
    ...tool(
      'Runs a model, which costs credits, and saves the files. The same call again is the same run, and is paid once: repeat it after a time-out. For another result of the same input, use another key.',
      {
        required: {
          model: MODEL,
          input: {
            type: 'object',
            // Some providers reject an object without properties.
            properties: { prompt: STRING },
            additionalProperties: true,
            description: 'Parameters, as describe_model gives them.',
          },
        },
        optional: {
          key: { ...KEY, description: 'Name of the run. Default: made of model and input.' },
          max_credits: { type: 'number', description: 'The most that the user agreed to pay.' },
          wait_s: WAIT,
        },
      },
      REPORT,
    ),
    annotations: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  },
  get_job: tool(
    'Gives the state of a run, and its files when it is done.',
    { required: { key: KEY }, optional: { wait_s: WAIT } },
    REPORT,
  ),
  list_runs: tool(
    'Lists the newest runs, and what is left of the budget of this day.',
    {},
    {
      runs: { type: 'array', items: { type: 'object', properties: RUN } },
      budget_left: NUMBER,
    },
  ),
  cancel_job: {
    ...tool('Cancels a run. A cancelled run is not charged.', { required: { key: KEY } }, REPORT),
    annotations: { readOnlyHint: false, idempotentHint: true },
  },
}
