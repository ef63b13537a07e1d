import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import { defaultClientConditions } from 'vite'
import { groups, pageOf } from './pages.mjs'

const sidebar = Object.entries(groups).map(([label, documents]) => ({ label, items: documents.map(pageOf) }))
// A frame of the playground cannot leave the site.
const policy = { 'http-equiv': 'content-security-policy', content: "frame-src 'self'" }

export default defineConfig({
  image: { service: passthroughImageService() },
  markdown: { smartypants: false },
  vite: {
    resolve: { conditions: ['@modelrun/source', ...defaultClientConditions], dedupe: ['preact'] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  },
  integrations: [
    starlight({
      title: 'modelrun',
      description: 'Run paid AI models from TypeScript, and never pay for a run twice.',
      sidebar: [
        { label: 'Playground', link: '/playground/' },
        ...sidebar,
        { label: 'API reference', link: '/reference/index.html' },
      ],
      head: [{ tag: 'meta', attrs: policy }],
      components: { Footer: './src/footer.astro' },
      customCss: ['./src/site.css'],
    }),
  ],
})
