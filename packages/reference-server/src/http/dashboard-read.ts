import type { AppEnv } from './app-env.ts'

/**
 * Whether the dashboard reads something. Its reads change nothing and would fill the journal and the log: a page that is
 * open must not be seen in what it shows. Only browsers send the header, and no page can set it.
 */
export function isDashboardRead({ method, headers }: Request, { trace }: AppEnv['Bindings']): boolean {
  return trace.route === 'control' && method === 'GET' && headers.get('sec-fetch-site') === 'same-origin'
}
