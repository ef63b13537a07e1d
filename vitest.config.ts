import { defineConfig } from 'vitest/config'

// The private export condition lets tests run on the sources: no build is needed before `npm test`.
// Without `import` and `module`: Node gets these too, and would take them for what `require` asks for.
const conditions = ['@modelrun/source', 'node']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', 'examples/*/*.test.ts'],
    typecheck: { enabled: true, include: ['packages/*/src/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
    testTimeout: 15_000,
    // A poll waits for processes on a busy machine. The default is one second.
    expect: { poll: { timeout: 10_000 } },
    // The default leaves a core to the user: on CI's two cores that is half of the time.
    maxWorkers: '100%',
  },
})
