import type { JsonSchemaType } from '@modelcontextprotocol/server'

type Properties = Exclude<JsonSchemaType, boolean>['properties'] & object

const KEY = { type: 'string', minLength: 1, maxLength: 200 }
const TEXT = { type: 'string' }
const WAIT = { type: 'number', minimum: 0, maximum: 25, description: 'Seconds to wait for the end. Default 20.' }
/** A tool that only reads, unless its own annotations say otherwise. */
function tool(description: string, required: Properties, optional: Properties = {}) {
  const properties = { ...required, ...optional }
  const inputSchema: JsonSchemaType = { type: 'object', properties, required: Object.keys(required) }
  return { description, inputSchema, annotations: { readOnlyHint: true } }
}

/** What agents see of the tools. Each word is in the context of every conversation. */
export const TOOLS = {
  search_models: tool(
    'Lists models that make images, videos or sounds, with their prices in credits.',
    {},
    { search: TEXT, category: { ...TEXT, description: 'Such as text-to-image, text-to-video, text-to-speech.' } },
  ),
  describe_model: tool('Gives the parameters and the price of a model.', { model: TEXT }),
  run_model: {
    ...tool(
      'Runs a model, which costs credits, and saves the files. The same call again is the same run, and is paid once: repeat it after a time-out. For another result of the same input, use another key.',
      { model: TEXT, input: { type: 'object', description: 'Parameters, as describe_model gives them.' } },
      {
        key: { ...KEY, description: 'Name of the run. Default: made of model and input.' },
        max_credits: { type: 'number', description: 'The most that the user agreed to pay.' },
        wait_s: WAIT,
      },
    ),
    annotations: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  },
  get_job: tool('Gives the state of a run, and its files when it is done.', { key: KEY }, { wait_s: WAIT }),
  cancel_job: {
    ...tool('Cancels a run. A cancelled run is not charged.', { key: KEY }),
    annotations: { readOnlyHint: false, idempotentHint: true },
  },
}
