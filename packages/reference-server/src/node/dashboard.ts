/** A page to serve beside the server: what `createDashboard()` of `@modelrun/dashboard` makes. */
export interface DashboardPage {
  /** Path of the page. */
  readonly path: string
  /** The response to a request for one of its files; `undefined` for any other request. */
  respond(request: Pick<Request, 'method' | 'url'> & { headers: Pick<Headers, 'get'> }): Response | undefined
}

// Not a literal: the package may be missing, and must not become part of the command.
const PACKAGE: string = '@modelrun/dashboard'

/**
 * Loads the dashboard, for `listen(server, { dashboard })`.
 *
 * @returns undefined when the optional package `@modelrun/dashboard` is not installed
 */
export async function loadDashboard(): Promise<DashboardPage | undefined> {
  try {
    const { createDashboard }: { createDashboard(): Promise<DashboardPage> } = await import(PACKAGE)
    return await createDashboard()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** The package is not installed, or, in its repository, not built. */
function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException // of `import`, and of reading files
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'ENOENT'
}
