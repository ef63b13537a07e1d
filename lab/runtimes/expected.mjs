import { isDeepStrictEqual } from 'node:util'

/** What the program finds everywhere, unless `runtimes.mjs` says that a runtime differs, and why. */
const expected = {
  guard: { withKey: 'created', pathAlone: 'ConfigurationError' },
  run: 'succeeded',
  failure: 'PROVIDER_FAILURE',
  aborted: 'accepted',
  image: 'data:image/gif;base64,R0lGODlhAAAA',
  noPicture: 'ConfigurationError',
  typo: ['/prompt', '/promt'],
  rejected: true,
  submission: 'not_sent', // of the run at a port where nothing listens
  broken: [
    { submission: 'unknown', postsUntilNow: 1 },
    { submission: 'unknown', postsUntilNow: 2 },
  ],
  charged: 60, // the video alone
  inbox: { responses: [202, 202], handled: ['job_1'] },
  provider: {
    images: [true, true],
    warned: ['seed'],
    lost: ['AI_APICallError', false, 'unknown'], // the AI SDK does not send it again
    charged: 8,
    showsKey: false,
  },
  webhook: 'succeeded',
  received: {
    outcomes: ['delivered', 'delivered'],
    rejections: { malformed: 400, tooLarge: 400, unsigned: 401 },
    handledOnce: true,
  },
  showsKey: false,
}

/** What is not as expected. `differs` has values, or functions that judge what was found. */
export function findProblems({ facts, rejected }, differs) {
  const found = { ...facts, submission: rejected.submission }
  const wanted = {
    ...expected,
    ...Object.fromEntries(Object.entries(differs).map(([name, { value }]) => [name, value])),
  }
  return Object.keys({ ...wanted, ...found })
    .filter((name) => !isAsWanted(found[name], wanted[name]))
    .map((name) => `${name}: ${JSON.stringify(found[name])} instead of ${JSON.stringify(wanted[name]) ?? wanted[name]}`)
}

const isAsWanted = (found, wanted) => (typeof wanted === 'function' ? wanted(found) : isDeepStrictEqual(found, wanted))
