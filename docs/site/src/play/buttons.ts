// Each program of a guide that brings its own service gets a button. Nothing of the playground loads before a click.
import { isRunnable } from './blocks.ts'

let programs: Promise<Record<string, string>> | undefined

for (const copy of document.querySelectorAll<HTMLElement>('.expressive-code .copy button')) {
  const code = copy.dataset.code?.replaceAll('\u007f', '\n') ?? ''
  const block = copy.closest('.expressive-code')
  if (block === null || !isRunnable(code)) continue
  const button = document.createElement('button')
  button.className = 'run-program'
  button.textContent = 'Run'
  button.addEventListener('click', () => void open(button, code), { once: true })
  block.after(button)
}

async function open(button: HTMLButtonElement, code: string): Promise<void> {
  button.disabled = true
  try {
    programs ??= fetch(`/play${location.pathname.replace(/\/?$/, '/')}programs.json`).then((response) =>
      response.json(),
    )
    const [{ h, render }, { Panel }, texts] = await Promise.all([import('preact'), import('./panel.tsx'), programs])
    const place = document.createElement('div')
    const script = texts[code.trim()] ?? ''
    button.replaceWith(place)
    render(h(Panel, { readCode: () => script }), place)
  } catch (error) {
    button.textContent = `The playground could not be loaded (${error}). Reload the page to try again.`
  }
}
