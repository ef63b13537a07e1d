import type { AppEnv } from './app-env.ts'

/**
 * Whether the dashboard reads something: the control API, or a produced file. Its reads change nothing and would fill the
 * journal and the log: a page that is open must not be seen in what it shows. Only browsers send the header, and no page
 * can set it.
 */
export function isDashboardRead({ method, headers }: Request, { trace, struck }: AppEnv['Bindings']): boolean {
  if (method !== 'GET' || struck !== undefined || headers.get('sec-fetch-site') !== 'same-origin') return false
  return trace.route === 'control' || trace.route === 'getFile'
}
