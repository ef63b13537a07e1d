/** A page to serve beside the server: what `createDashboard()` of `@modelrun/dashboard` makes. */
export interface DashboardPage {
  /** Path of the page. */
  readonly path: string
  /** The response to a request for one of its files; `undefined` for any other request. */
  respond(request: Request): Response | undefined
}

// Not a literal: the package may be missing, and must not become part of the command.
const PACKAGE: string = '@modelrun/dashboard'

/** The dashboard; `undefined` when the package is not installed. */
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
