import { useRun } from 'modelrun/react'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'

it('renders an idle run on a server, where there is neither a page nor a key', () => {
  const Status = () => createElement('p', {}, useRun('aurora-image').status)
  expect(renderToString(createElement(Status))).toBe('<p>idle</p>')
})
