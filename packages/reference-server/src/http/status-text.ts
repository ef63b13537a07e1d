/** Texts of the statuses that the server answers with, as Node's http writes them on a socket. */
const TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  202: 'Accepted',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

/** A status with its text, which a response in this process would otherwise be without. */
export function statusLine(status: number): { status: number; statusText: string } {
  return { status, statusText: TEXTS[status] ?? '' }
}
