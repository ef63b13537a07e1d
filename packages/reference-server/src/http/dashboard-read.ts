import type { AppEnv } from './app-env.ts'
import type { RequestTrace } from './route-result.ts'

/**
 * Whether the dashboard reads something: the control API, or a produced file. Its reads change nothing and would fill the
 * journal and the log: a page that is open must not be seen in what it shows. Only browsers send the header, and no page
 * can set it.
 */
export function isDashboardRead(
  { method, headers }: Request,
  { route }: RequestTrace,
  { injected }: AppEnv['Bindings'],
): boolean {
  if (method !== 'GET' || injected !== undefined || headers.get('sec-fetch-site') !== 'same-origin') return false
  return route === 'control' || route === 'getFile'
}
