import { defineCollection } from 'astro:content'
import { docsSchema } from '@astrojs/starlight/schema'
import type { Loader } from 'astro/loaders'
import { allDocuments, pageOf, partsOf, root } from '../pages.mjs'

/** The documents of the repository, as they are. */
const documents: Loader = {
  name: 'documents-of-the-repository',
  async load({ store, parseData, renderMarkdown, generateDigest, watcher }) {
    const load = async (path: string) => {
      const { title, body } = partsOf(path)
      const id = pageOf(path)
      const data = await parseData({ id, data: { title } })
      const { html, ...rest } = await renderMarkdown(body)
      store.set({ id, data, body, digest: generateDigest(body), rendered: { html: forReaders(html), ...rest } })
    }
    const paths = allDocuments()
    for (const path of paths) await load(path)
    for (const path of watcher ? paths : []) watcher?.add(root + path)
    watcher?.on('change', (changed) => {
      const path = paths.find((one) => root + one === changed)
      if (path) void load(path)
    })
  },
}

/** What scrolls is reached by the keyboard and has a name; a table's empty corner is no heading. */
function forReaders(html: string): string {
  let examples = 0
  return html
    .replaceAll('<table>', '<table tabindex="0">')
    .replaceAll('<th></th>', '<td></td>')
    .replaceAll('<pre ', () => `<pre tabindex="0" role="region" aria-label="Example ${++examples}" `)
}

export const collections = { docs: defineCollection({ loader: documents, schema: docsSchema() }) }
