/** The contrasts of text on buttons that are switched off, of which axe checks none. Runs in the page, and so is one function. */
export function contrastsOfDisabled(): number[] {
  const main = document.querySelector('main')
  main?.insertAdjacentHTML('beforeend', '<button class="button primary" disabled>Running …</button>')
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const luminance = (colour: string) => {
    if (canvas === null) return 0
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0] = Array.from(canvas.getImageData(0, 0, 1, 1).data, (value) => {
      const part = value / 255
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  return [...document.querySelectorAll('button:disabled')].map((button) => {
    const { color, backgroundColor } = getComputedStyle(button)
    const [dark = 0, bright = 0] = [luminance(color), luminance(backgroundColor)].sort((one, other) => one - other)
    return (bright + 0.05) / (dark + 0.05)
  })
}
