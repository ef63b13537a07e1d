import { at, isRecord } from '../../packages/conformance/src/json.ts'
import { hasWebhook } from './edits.ts'
import { edited, editRequests, type Mutation, mutants, status, type WireRequest, when } from './mutation.ts'

const OBJECT = '4.3: input is an object, required'
const INPUT_SCHEMA = '4.3: input holds model-specific parameters per the input_schema of the model'
const REQUIRED = '2.3: required holds the names of mandatory parameters'
const ENUM = '2.3: enum holds the allowed values'
const TYPE = '2.3: a property has a type'
const BOUNDS = '8: input bounds are given in the input_schema (minimum and maximum)'

const LEGAL = { prompt: 'anything', style: 'photo' }
/** For any model: those that speak take a text. */
const legalFor = ({ url: { pathname } }: WireRequest) =>
  pathname.includes('every-rule') ? LEGAL : /narrator|-010/.test(pathname) ? { text: 'any' } : { prompt: 'any' }
type Input = Record<string, unknown>
const inputOf = (request: WireRequest): Input => {
  const input = at(request.body, '/input')
  return isRecord(input) ? input : {}
}

/** Runs what it should reject, as if something legal had been sent. */
function runs(isTaken: (input: unknown, request: WireRequest) => boolean): Mutation {
  return editRequests('runModel', (request) => {
    if (isRecord(request.body) && isTaken(request.body.input, request))
      request.body = { ...request.body, input: legalFor(request) }
  })
}

/** Runs whatever value one parameter has. */
function runsAny(name: string, isTaken: (value: unknown) => boolean = () => true): Mutation {
  return editRequests('runModel', (request) => {
    const { [name]: value, ...input } = inputOf(request)
    if (value === undefined || !isTaken(value) || !isRecord(request.body)) return
    request.body = { ...request.body, input: { ...(name in LEGAL ? LEGAL : {}), ...input } }
  })
}

/** Rejects some values that the schema allows. */
function rejects(isRejected: (input: Input) => boolean): Mutation {
  return edited(
    'runModel',
    when((_, request) => isRejected(inputOf(request)), status(400)),
  )
}

const isText = (value: unknown) => typeof value === 'string'
const isInput = (request: WireRequest, kind: 'queued' | 'hooked') =>
  kind === 'queued' ? at(request.body, '/sync') === false : hasWebhook(request)

/** What a run takes as its input. */
export const INPUT_MUTANTS = mutants([
  [OBJECT, 'takes a text as input', runs(isText)],
  [OBJECT, 'takes an array as input', runs(Array.isArray)],
  [OBJECT, 'takes null as input', runs((input) => input === null)],
  [OBJECT, 'takes a number as input', runs((input) => typeof input === 'number')],
  [OBJECT, 'takes a boolean as input', runs((input) => typeof input === 'boolean'), 'inputs/input-is-an-object'],
  [OBJECT, 'takes no input', runs((input) => input === undefined)],
  [OBJECT, 'takes an empty input', runs((input) => isRecord(input) && Object.keys(input).length === 0)],
  [REQUIRED, 'needs the first mandatory parameter only', runs((input) => isRecord(input) && input.style === undefined)],
  [REQUIRED, 'needs the last mandatory parameter only', runs((input) => isRecord(input) && input.prompt === undefined)],
  [REQUIRED, 'needs optional parameters too', rejects((input) => input.seed === undefined)],
  [ENUM, 'knows the allowed values of the first parameter only', runsAny('image_size', isText)],
  [ENUM, 'knows the allowed values of the second parameter only', runsAny('style', isText)],
  [ENUM, 'rejects the last allowed value', rejects(({ style }) => style === 'photo')],
  [ENUM, 'rejects the first allowed value', rejects(({ style }) => style === 'linocut'), 'runs/accepted'],
  [ENUM, 'rejects the default of a parameter', rejects(({ image_size: size }) => size === 'square_hd')],
  [TYPE, 'takes a number as text', runsAny('prompt', (value) => typeof value === 'number')],
  [TYPE, 'takes an object as text', runsAny('prompt', isRecord)],
  [TYPE, 'takes an integer in quotes', runsAny('num_images', isText)],
  [TYPE, 'takes a fraction as an integer', runsAny('num_images', (value) => !Number.isInteger(value))],
  [TYPE, 'takes a number in quotes', runsAny('strength', isText)],
  [TYPE, 'takes a boolean in quotes', runsAny('tiled', isText)],
  [TYPE, 'takes anything for a boolean', runsAny('tiled', (value) => typeof value !== 'boolean')],
  [TYPE, 'takes anything for the second integer', runsAny('seed', (value) => !Number.isInteger(value))],
  [TYPE, 'takes a number for an allowed value', runsAny('image_size', (value) => typeof value === 'number')],
  [BOUNDS, 'ignores the maximum of an integer', runsAny('num_images', (value) => Number(value) > 4)],
  [BOUNDS, 'ignores the minimum of an integer', runsAny('num_images', (value) => Number(value) < 1)],
  [BOUNDS, 'ignores the maximum of a number', runsAny('strength', (value) => Number(value) > 0.75)],
  [BOUNDS, 'ignores the minimum of a number', runsAny('strength', (value) => Number(value) < 0.25)],
  [BOUNDS, 'ignores a minimum of 0', runsAny('seed', (value) => Number(value) < 0)],
  [BOUNDS, 'rejects the maximum of an integer', rejects(({ num_images: count }) => count === 4), 'runs/accepted'],
  [BOUNDS, 'rejects the minimum of an integer', rejects(({ num_images: count }) => count === 1)],
  [BOUNDS, 'rejects the maximum of a number', rejects(({ strength }) => strength === 0.75)],
  [BOUNDS, 'rejects the minimum of a number', rejects(({ strength }) => strength === 0.25)],
  [BOUNDS, 'rejects 0', rejects(({ seed }) => seed === 0)],
  [INPUT_SCHEMA, 'checks no input of asynchronous runs', runs((_, request) => isInput(request, 'queued'))],
  [INPUT_SCHEMA, 'checks inputs of asynchronous runs only', runs((_, request) => !isInput(request, 'queued'))],
  [INPUT_SCHEMA, 'checks no input of runs with webhook_url', runs((_, request) => isInput(request, 'hooked'))],
  [INPUT_SCHEMA, 'rejects an input with every parameter', rejects((input) => Object.keys(input).length > 5)],
])
