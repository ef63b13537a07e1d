import { defineCollection } from 'astro:content'
import { docsSchema } from '@astrojs/starlight/schema'
import type { Loader } from 'astro/loaders'
import { renderMermaidSVG } from 'beautiful-mermaid'
import { allDocuments, pageOf, partsOf, root } from '../pages.mjs'

/** The documents of the repository, as they are. */
const documents: Loader = {
  name: 'documents-of-the-repository',
  async load({ store, parseData, renderMarkdown, generateDigest, watcher }) {
    const load = async (path: string) => {
      const { title, body } = partsOf(path)
      const id = pageOf(path)
      const data = await parseData({ id, data: { title } })
      const { text, drawings } = withDrawings(body)
      const { html, ...rest } = await renderMarkdown(text)
      const whole = forReaders(html).replace(/<i data-drawing="(\d+)"><\/i>/g, (_, index) => drawings[index] ?? '')
      store.set({ id, data, body, digest: generateDigest(body), rendered: { html: whole, ...rest } })
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

/** Diagrams are drawn while the site is built, in its colors, and load no font from elsewhere. */
function withDrawings(body: string) {
  const drawings: string[] = []
  const text = body.replace(/```mermaid\n(.*?)```/gs, (_, source: string) => {
    const svg = renderMermaidSVG(source, {
      bg: 'var(--sl-color-bg)',
      fg: 'var(--sl-color-text)',
      muted: 'var(--sl-color-text)',
    })
    const local = svg.replace(/@import url\([^)]*\);/, '')
    return `<i data-drawing="${drawings.push(`<div class="drawing" role="group" aria-label="Diagram" tabindex="0">${local}</div>`) - 1}"></i>`
  })
  return { text, drawings }
}

/** What scrolls is reached by the keyboard and has a name; a table's empty corner is not a heading. */
function forReaders(html: string): string {
  let examples = 0
  return html
    .replaceAll('<table>', '<table tabindex="0">')
    .replaceAll('<th></th>', '<td></td>')
    .replaceAll('<pre ', () => `<pre tabindex="0" role="region" aria-label="Example ${++examples}" `)
}

export const collections = { docs: defineCollection({ loader: documents, schema: docsSchema() }) }
