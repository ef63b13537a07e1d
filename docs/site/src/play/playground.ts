// The playground: a program that can be changed and shared. What a link brings runs after a click only.
import { h, render } from 'preact'
import { Panel } from './panel.tsx'

const area = document.querySelector<HTMLTextAreaElement>('#program')
const place = document.querySelector('#outcome')
const shared = /^#code=([\w-]+)$/.exec(location.hash)?.[1]
if (area && shared) area.value = await unpack(shared).catch(() => '// The link is broken: ask for another one.')

document.querySelector('#run')?.addEventListener('click', () => {
  if (!place) return
  render(null, place)
  render(h(Panel, { readCode: () => toScript(area) }), place)
})

document.querySelector('#share')?.addEventListener('click', async ({ currentTarget }) => {
  history.replaceState(null, '', `#code=${await pack(area?.value ?? '')}`)
  await navigator.clipboard?.writeText(location.href).catch(() => {})
  if (currentTarget instanceof HTMLElement) currentTarget.textContent = 'The address of this page is the link'
})

/** The program that the page comes with has no types: what removes them loads once it was changed. */
async function toScript(program: HTMLTextAreaElement | null): Promise<string> {
  const code = program?.value ?? ''
  if (code === program?.defaultValue) return code
  const { transform } = await import('sucrase')
  return transform(code, { transforms: ['typescript'], disableESTransforms: true }).code
}

async function pack(text: string): Promise<string> {
  const bytes = await through(new Blob([text]), new CompressionStream('deflate-raw'))
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (letter) => ({ '+': '-', '/': '_' })[letter] ?? '')
}

async function unpack(text: string): Promise<string> {
  const letters = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
  return new TextDecoder().decode(await through(new Blob([bytes]), new DecompressionStream('deflate-raw')))
}

async function through(blob: Blob, transform: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(blob.stream().pipeThrough(transform)).arrayBuffer())
}
