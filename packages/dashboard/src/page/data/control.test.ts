import { expect, it, vi } from 'vitest'
import { read } from './control.ts'

it('shows what would turn the words of the page around', async () => {
  vi.stubGlobal('sessionStorage', { getItem: () => null })
  vi.stubGlobal('fetch', async () => Response.json({ message: 'a \u202e b', text: 'c "d"' }))
  expect(await read('activity')).toEqual({ message: 'a \\u202e b', text: 'c "d"' })
})
