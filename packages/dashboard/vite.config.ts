import { defineConfig } from 'vite'

/** The page: `dist/page` has its files, whose names change with what is in them. */
export default defineConfig({
  root: 'src/page',
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files would be data: URLs, which the policy of the page rejects.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
