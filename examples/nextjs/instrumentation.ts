export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { getShared } = await import('./lib/modelrun.ts')
    getShared().inbox.start()
  }
}
