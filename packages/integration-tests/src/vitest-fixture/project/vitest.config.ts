import { defineConfig } from 'vitest/config'

// On the sources, as the tests of this repository.
const conditions = ['@modelrun/source', 'node', 'module']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ['*.spec.ts'] },
})
