import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { ModelRun } from 'modelrun'
import { createProxy, type ModelRunProxy, type ProxyOptions } from 'modelrun/proxy'
import { SECRET } from '../setting.ts'
import { openSite, type Site } from './site.ts'

export type AppOptions = Partial<Omit<ProxyOptions, 'clock'>> & { clock?: 'auto' | 'system' }

/** A website with a proxy in front of a service on a socket. */
export interface App {
  server: ReferenceServer
  proxy: ModelRunProxy
  site: Site
  close(): Promise<void>
}

/** The user of a request is in its cookie. */
export async function openApp(
  scripts: ReadonlyMap<string, string>,
  { clock = 'auto', ...options }: AppOptions = {},
): Promise<App> {
  const server = createReferenceServer({ clock, credits: 1_000 })
  const { url, close } = await listen(server)
  const proxy = createProxy({
    client: new ModelRun({ apiKey: server.apiKey, baseUrl: url }),
    models: ['aurora-image'],
    secret: SECRET,
    budget: { credits: 100 },
    authorize: ({ headers }) => ({ user: /session=(\w+)/.exec(headers.get('cookie') ?? '')?.[1] ?? '' }),
    ...options,
  })
  const site = await openSite(scripts, proxy.node())
  const closeAll = async () => {
    await site.close()
    await close()
  }
  return { server, proxy, site, close: closeAll }
}
