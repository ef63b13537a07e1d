/** A question that the specification leaves open, and what the reference server does. */
export interface OpenQuestion {
  /** Section of the specification. */
  section: string
  /** What the specification leaves open. */
  question: string
  /** What the reference server does, unless a setting says otherwise. */
  choice: string
}

const question = (section: string, question: string, choice: string): OpenQuestion => ({ section, question, choice })

/** The questions without a setting: the choice of the reference server is its only one. */
export const FIXED: readonly OpenQuestion[] = [
  question('2.1', 'When credits are charged', 'Once, when the job succeeds; never when it is cancelled'),
  question(
    '2.3',
    'Values of a parameter for the URL of a source file: its name is url or ends in _url',
    'An http or https URL, or a data URI with a media type and base64. The URL itself is not fetched',
  ),
  question(
    '2.4',
    'An id of the HTTP request, beside request_id, which is the id at the provider',
    'The header x-request-id of every response, errors and files included',
  ),
  question(
    '4',
    'Members of responses and deliveries that the specification does not name',
    'None; output and error of a job only where there is one',
  ),
  question('4', 'A path with a slash at its end, such as /v1/models/', 'An unknown path'),
  question(
    '4',
    'HEAD of what can be read with GET',
    'The response to GET without its body; HEAD of a job counts as a status request',
  ),
  question('4.1', 'An unknown category', 'An empty list: the set of categories may grow'),
  question(
    '4.1',
    'How search compares',
    'The text occurs in name or description, in the middle of a word too; letter case does not count',
  ),
  question(
    '4.1',
    'category or search without a value',
    'An empty category is unknown; an empty search finds all models',
  ),
  question(
    '4.1',
    'A limit above 100 or below 1, an offset below 0, or a value that is not an integer',
    'A wrong request',
  ),
  question('4.1', 'Default of offset, and an offset behind the last model', '0; an empty page'),
  question('4.2', 'An id with a slash in the path that is not percent-encoded', 'Served'),
  question(
    '4.3',
    'Response to a synchronous run whose job is cancelled while the response is held',
    '200 with job_id, request_id, model_id and status "cancelled"',
  ),
  question(
    '4.3',
    'sync: false together with webhook_url',
    'Queued, as without webhook_url; the result is delivered all the same',
  ),
  question('4.3', 'Schemes of webhook_url', 'http and https; others are a wrong request'),
  question(
    '4.3',
    'A user name and password in webhook_url, as in https://user:secret@app.test/hook',
    'A wrong request: clients such as fetch do not call such a URL',
  ),
  question('4.3', 'A member of a wrong type, null included', 'A wrong request: leave out a member that is not needed'),
  question(
    '4.3',
    'Members of a request body, query parameters and parameters of an input that are not named',
    'A wrong request, so that a misspelt one is noticed',
  ),
  question('4.4', 'Status of the response while the job continues', '200'),
  question(
    '4.4',
    'How long a job and its files can be read',
    'Until 100,000 more jobs have finished (the option retention), until a reset, or until the server ends',
  ),
  question('5', 'The word Bearer in other letter case', 'The same: letter case does not count in the name of a scheme'),
  question(
    '5',
    'Which permission each endpoint needs',
    'As ROUTES of the contract says: a run needs models:run, a cancel jobs:write',
  ),
  question('5', 'A key used from an IP address outside its allowlist', '403 FORBIDDEN: the key is valid'),
  question('5', 'What a live key and a test key do differently', 'Nothing: both run models and are charged'),
  question('5', 'Whether output files need a key', 'No: anyone with the URL may read the file'),
  question(
    '6',
    'A receiver that responds with a redirect',
    'A failed delivery: a redirect is not a 2xx, and is not followed',
  ),
  question('6', 'Headers that let a receiver verify a delivery', 'None'),
  question(
    '7',
    'Order of the checks of a request',
    'Key, address, permission, path and method, body or query, model or job, input, credits',
  ),
  question('7', 'An empty string for a mandatory parameter', 'Accepted: it is a string'),
  question('7', 'An unknown file or path', '404 NOT_FOUND; 401 UNAUTHORIZED for a path below /v1 without a key'),
  question('7', 'An id of a job in another form than those of the service', 'An unknown job'),
  question('7', 'A method that a path does not have', '405 METHOD_NOT_ALLOWED with the header Allow'),
  question('7', 'A body of another content type than application/json', '415 UNSUPPORTED_MEDIA_TYPE'),
  question('8', 'Largest request body', '1 MiB; more is 413 PAYLOAD_TOO_LARGE'),
  question(
    '8',
    'How deep the JSON of a request body may nest',
    '64 levels of objects and arrays, the body itself included; more is a wrong request',
  ),
  question('8', 'Rate limits', 'None'),
]
