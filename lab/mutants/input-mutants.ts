import { at, isRecord } from '../../packages/conformance/src/json.ts'
import { hasWebhook, isAsync, run } from './edits.ts'
import { editRequests, type Mutants, type Mutation, type WireRequest } from './mutation.ts'

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
function runsAny(name: string, isTaken: (value: unknown) => boolean): Mutation {
  return editRequests('runModel', (request) => {
    const { [name]: value, ...input } = inputOf(request)
    if (value === undefined || !isTaken(value) || !isRecord(request.body)) return
    request.body = { ...request.body, input: { ...(name in LEGAL ? LEGAL : {}), ...input } }
  })
}

/** Rejects some values that the schema allows. */
const rejects = (isRejected: (input: Input) => boolean) =>
  run.where((_, request) => isRejected(inputOf(request))).status(400)

const isText = (value: unknown) => typeof value === 'string'

/** What a run takes as its input. */
export const INPUT_MUTANTS: Mutants = {
  'inputs/input-is-an-object': {
    'takes a text as input': runs(isText),
    'takes an array as input': runs(Array.isArray),
    'takes null as input': runs((input) => input === null),
    'takes a number as input': runs((input) => typeof input === 'number'),
    'takes a boolean as input': runs((input) => typeof input === 'boolean'),
  },
  'inputs/input-is-required': {
    'takes no input': runs((input) => input === undefined),
    'checks inputs of asynchronous runs only': runs((_, request) => !isAsync(request)),
  },
  'inputs/required-parameter': {
    'takes an empty input': runs((input) => isRecord(input) && Object.keys(input).length === 0),
    'needs the first mandatory parameter only': runs((input) => isRecord(input) && input.style === undefined),
    'needs the last mandatory parameter only': runs((input) => isRecord(input) && input.prompt === undefined),
  },
  'runs/accepted': {
    'needs optional parameters too': rejects((input) => input.seed === undefined),
    'rejects the last allowed value': rejects(({ style }) => style === 'photo'),
    'rejects the first allowed value': rejects(({ style }) => style === 'linocut'),
    'rejects the default of a parameter': rejects(({ image_size: size }) => size === 'square_hd'),
    'rejects the maximum of an integer': rejects(({ num_images: count }) => count === 4),
    'rejects the minimum of an integer': rejects(({ num_images: count }) => count === 1),
    'rejects the maximum of a number': rejects(({ strength }) => strength === 0.75),
    'rejects the minimum of a number': rejects(({ strength }) => strength === 0.25),
    'rejects 0': rejects(({ seed }) => seed === 0),
    'rejects an input with every parameter': rejects((input) => Object.keys(input).length > 5),
  },
  'inputs/enum': {
    'knows the allowed values of the first parameter only': runsAny('image_size', isText),
    'knows the allowed values of the second parameter only': runsAny('style', isText),
    'checks no input of asynchronous runs': runs((_, request) => isAsync(request)),
  },
  'inputs/type': {
    'takes a number as text': runsAny('prompt', (value) => typeof value === 'number'),
    'takes an object as text': runsAny('prompt', isRecord),
    'takes an integer in quotes': runsAny('num_images', isText),
    'takes a fraction as an integer': runsAny('num_images', (value) => !Number.isInteger(value)),
    'takes a number in quotes': runsAny('strength', isText),
    'takes a boolean in quotes': runsAny('tiled', isText),
    'takes anything for a boolean': runsAny('tiled', (value) => typeof value !== 'boolean'),
    'takes anything for the second integer': runsAny('seed', (value) => !Number.isInteger(value)),
    'takes a number for an allowed value': runsAny('image_size', (value) => typeof value === 'number'),
  },
  'inputs/maximum': {
    'ignores the maximum of an integer': runsAny('num_images', (value) => Number(value) > 4),
    'ignores the maximum of a number': runsAny('strength', (value) => Number(value) > 0.75),
    'checks no input of runs with webhook_url': runs((_, request) => hasWebhook(request)),
  },
  'inputs/minimum': {
    'ignores the minimum of an integer': runsAny('num_images', (value) => Number(value) < 1),
    'ignores the minimum of a number': runsAny('strength', (value) => Number(value) < 0.25),
    'ignores a minimum of 0': runsAny('seed', (value) => Number(value) < 0),
  },
}
